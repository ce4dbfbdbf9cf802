//! Named algorithms against the referee, hand counts and one another.

mod named;
