//! Exit codes of the command.

/// The end of a command without an error.
pub enum End {
    /// Done.
    Done,
    /// The answer was printed, and it is negative.
    Refused,
}

impl End {
    /// The exit code.
    pub fn code(&self) -> u8 {
        match self {
            End::Done => 0,
            End::Refused => REFUSED,
        }
    }
}

/// A refused file, a violated claim, a negative answer.
pub const REFUSED: u8 = 1;
/// A mistake on the command line.
pub const USAGE: u8 = 2;
/// Ctrl-C, as shells report it: 128 and the number of the signal.
pub const INTERRUPTED: u8 = 130;
