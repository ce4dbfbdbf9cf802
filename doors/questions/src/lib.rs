#![doc = include_str!("../README.md")]

mod answer;
mod asked;
pub mod bound;
pub mod change;
pub mod counts;
mod error;
mod generate;
mod idle;
mod keys;
mod latency;
pub mod limits;
mod numbers;
pub mod period;
pub mod platform;
pub mod quantity;
mod question;
mod reading;
pub mod rows;
pub mod shown;
mod source;
mod text;
#[cfg(feature = "topologies")]
pub mod topology;
#[cfg(not(feature = "topologies"))]
#[path = "own_files.rs"]
pub mod topology;
pub mod what_if;
pub mod words;

pub use answer::{Answered, answer_line, answer_line_until, ask, digest, failed_line, paths};
pub use asked::{
    Asked, CUSTOM, asked_as, called, collective, forms, listed, no_collective, node, problem,
    taking_part, volumes_of,
};
pub use error::{Kind, Manner, QuestionError, Result};
pub use generate::{Generated, Shape};
pub use idle::{Idle, LeftOut};
pub use keys::{KEYS, READING_KEYS};
pub use latency::{KindLatency, KnownLatencies};
pub use limits::Limits;
pub use numbers::{
    AnswerStatus, Limiting, Numbers, OddSetWords, Operation, gap, label, limiting, loss_of,
    odd_set_sentence, of_classes, share,
};
pub use platform::{Combining, Hearer, Note, Reading, Source, deaf};
pub use question::{Ask, Demands, Group, Keep, Program, Question};
pub use text::{Nodes, Texts};
