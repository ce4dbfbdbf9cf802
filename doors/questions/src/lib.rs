#![doc = include_str!("../README.md")]

mod answer;
mod asked;
pub mod bound;
pub mod change;
#[cfg(feature = "compare")]
pub mod compare;
pub mod counts;
mod error;
mod generate;
mod idle;
pub mod in_network;
mod keys;
mod latency;
#[cfg(feature = "compare")]
mod layers;
mod limiting;
pub mod limits;
#[cfg(feature = "compare")]
mod listed;
pub mod measured;
#[cfg(feature = "topologies")]
mod measured_file;
#[cfg(feature = "compare")]
pub mod nccl;
mod numbers;
#[cfg(feature = "compare")]
mod once;
pub mod period;
pub mod platform;
pub mod quantity;
mod question;
mod reading;
pub mod rows;
pub mod shown;
mod source;
#[cfg(feature = "compare")]
mod tabled;
mod text;
#[cfg(feature = "compare")]
pub mod time;
#[cfg(feature = "topologies")]
pub mod topology;
#[cfg(not(feature = "topologies"))]
#[path = "own_files.rs"]
pub mod topology;
pub mod what_if;
pub mod words;

pub use answer::{Answered, answer_line, answer_line_until, ask, digest, failed_line, paths};
pub use asked::{
    Asked, CUSTOM, asked_as, called, collective, forms, label, listed, no_collective, node,
    problem, taking_part, volumes_of,
};
pub use error::{Kind, Manner, QuestionError, Result};
pub use generate::{Generated, Shape};
pub use idle::{Idle, LeftOut};
pub use keys::{KEYS, READING_KEYS};
pub use latency::{KindLatency, KnownLatencies};
pub use limiting::{
    Limiting, OddSetWords, class_name, limiting, limiting_names, odd_set_sentence, of_classes,
    summary,
};
pub use limits::Limits;
pub use numbers::{AnswerStatus, Numbers, Operation, gap, loss_of, share};
pub use platform::{Combining, Hearer, Note, Reading, Source, deaf};
pub use question::{Ask, Demands, Group, Keep, Program, Question};
#[cfg(feature = "compare")]
pub use tabled::{Table, Tabled, tabled};
pub use text::{Nodes, Paths, Texts};
