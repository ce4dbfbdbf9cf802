//! Helpers shared by the tests of several crates. Only tests depend on it.

#![allow(clippy::disallowed_methods, clippy::panic)]

mod data;
mod dice;
mod parts;
mod platforms;
pub mod toys;

pub use data::{data, folder};
pub use dice::Dice;
pub use oneport_platform::{ratio, whole};
pub use parts::Parts;
pub use platforms::{number, platform};

use oneport_plan::{Collective, Form, Named};
use oneport_platform::NodeId;

/// The reductions of a reduce or a reduce-scatter, read off the collective itself.
pub trait Reductions {
    /// The owners of the values, in operand order. `None` for other collectives.
    fn operands(&self) -> Option<&[NodeId]>;
    /// The targets of the results, in the order of the demands. Empty for other collectives.
    fn reductions(&self) -> &[NodeId];
}

fn reduces(form: &Form) -> bool {
    [Form::REDUCE, Form::REDUCE_SCATTER].contains(&form)
}

impl Reductions for Collective {
    fn operands(&self) -> Option<&[NodeId]> {
        self.named()
            .filter(|named| reduces(named.form()))
            .map(Named::owners)
    }

    fn reductions(&self) -> &[NodeId] {
        self.named()
            .filter(|named| reduces(named.form()))
            .map_or(&[], Named::targets)
    }
}
