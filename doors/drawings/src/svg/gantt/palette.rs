//! Which messages share a colour in a chart: each has its own while they are few; else phases or boxes do.

use std::collections::BTreeMap;

use oneport_plan::{Goals, Kind, Message, Problem};

use super::occupancy::Bar;
use crate::svg::colour::Colour;
use crate::words::{self, Messages};

/// Most messages with a colour each. More share colours.
const FINE: usize = 12;

/// Colours of messages.
pub(super) struct Palette<'a> {
    problem: &'a Problem,
    messages: Messages<'a>,
    /// Colours by class and their legend. `None` if every category has its own.
    classes: Option<BTreeMap<String, usize>>,
}

impl<'a> Palette<'a> {
    pub(super) fn new(problem: &'a Problem, bars: &[Bar]) -> Palette<'a> {
        let mut palette = Palette {
            problem,
            messages: Messages::new(problem.platform(), problem.collective()),
            classes: None,
        };
        let used: BTreeMap<usize, Message> = bars
            .iter()
            .map(|bar| (palette.messages.category(bar.message), bar.message))
            .collect();
        if used.len() > FINE {
            palette.classes = palette.classes(used.values());
        }
        palette
    }

    /// A class for every message, if there are at least two.
    fn classes<'m>(
        &self,
        used: impl Iterator<Item = &'m Message>,
    ) -> Option<BTreeMap<String, usize>> {
        // Messages of one category can be of several classes: the partial results of one demand.
        let names: Option<Vec<String>> = used.map(|&message| self.class(message)).collect();
        let mut classes: BTreeMap<String, usize> = BTreeMap::new();
        for name in names? {
            let next = classes.len();
            classes.entry(name).or_insert(next);
        }
        (classes.len() > 1).then_some(classes)
    }

    /// The phase of a message, or the box that it comes from or goes to.
    fn class(&self, message: Message) -> Option<String> {
        let collective = self.problem.collective();
        if !collective.members().is_empty() {
            return None;
        }
        let demand = collective.demand(message.demand)?;
        let part = message.part;
        let of_box = |what: &str, node| {
            let name = words::name(self.problem.platform(), node);
            words::prefix(&name).map(|prefix| format!("{what} {prefix}"))
        };
        let whole = part.first == 0 && part.operands() == demand.operands.len();
        match (demand.kind(), demand.goals) {
            (Kind::CombineCopy, _) if whole => Some("broadcast: the result".to_string()),
            (Kind::CombineCopy, _) => Some("reduce: values and partial results".to_string()),
            (Kind::Combine, Goals::At(target)) if collective.demands() > 1 => {
                of_box("reductions to", target)
            }
            (Kind::Combine, _) if part.operands() == 1 => Some("single values".to_string()),
            (Kind::Combine, _) => Some("partial results".to_string()),
            (Kind::Prefix, _) if part.first == 0 && part.last > 0 => Some("prefixes".to_string()),
            (Kind::Prefix, _) => Some("values and other partial results".to_string()),
            (Kind::Route, Goals::At(target)) if words::centre(collective) == Some("source") => {
                of_box("messages for", target)
            }
            (Kind::Route | Kind::Copy, _) => of_box("messages of", *demand.operands.first()?),
        }
    }

    /// Messages of one number have one colour.
    pub(super) fn number(&self, message: Message) -> usize {
        let class = self
            .classes
            .as_ref()
            .and_then(|classes| classes.get(&self.class(message)?).copied());
        class.unwrap_or_else(|| self.messages.category(message))
    }

    pub(super) fn colour(&self, message: Message) -> Colour {
        Colour::category(self.number(message))
    }

    /// Whether messages share colours.
    pub(super) fn is_coarse(&self) -> bool {
        self.classes.is_some()
    }

    /// The legend's text for a message's colour.
    pub(super) fn label(&self, message: Message) -> String {
        let class = self.classes.as_ref().and_then(|_| self.class(message));
        class.unwrap_or_else(|| self.messages.category_label(message))
    }

    pub(super) fn messages(&self) -> &Messages<'a> {
        &self.messages
    }
}
