//! Words of files in messages.

use std::borrow::Cow;

/// Words of a file in a message: whole, or their beginning if they are long.
pub(crate) fn clipped(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => text.into(),
        Some((end, _)) => {
            format!("{}... ({} characters)", &text[..end], text.chars().count()).into()
        }
    }
}
