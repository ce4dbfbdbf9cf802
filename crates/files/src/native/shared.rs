//! The capacities that links share, `shared`: names, rates and links.

use std::borrow::Cow;

use num_traits::Signed;
use oneport_platform::{LinkId, Shared};

use super::measures::Measure;
use super::{Assembly, Entry, Field};
use crate::error::{FormatError, Mistake, clip, quoted};

/// The keys of an entry.
pub(super) const SHARED_KEYS: [&str; 3] = ["name", "bandwidth", "links"];

/// A link by the names of its ends.
pub(super) enum Ends<'a> {
    /// `"a -> b"`.
    Arrow(Cow<'a, str>),
    /// `["a", "b"]`: for names with arrows.
    Pair([Cow<'a, str>; 2]),
}

impl<'a> Ends<'a> {
    /// The expected value of an entry of `links`.
    pub(super) const EXPECTED: &'static str =
        "a link: \"a -> b\", or its two ends as [\"a\", \"b\"]";

    /// A pair, if these are two names.
    pub(super) fn pair(mut names: Vec<Cow<'a, str>>) -> Option<Ends<'a>> {
        let to = names.pop()?;
        let from = names.pop()?;
        names.is_empty().then_some(Ends::Pair([from, to]))
    }
}

impl Assembly<'_> {
    /// One `shared`. Fields in the order of [`SHARED_KEYS`], links with their offsets.
    pub(super) fn shared(
        &mut self,
        index: usize,
        offset: usize,
        [name, bandwidth]: [Option<Field<'_>>; 2],
        links: Option<Vec<(usize, Ends<'_>)>>,
    ) -> Result<(), FormatError> {
        let entry = Entry {
            list: "shared",
            index,
            offset,
        };
        let missing = |key, meaning| Mistake::MissingKey { key, meaning };
        let name = match name {
            None => format!("shared{index}"),
            name => self.name(entry, name, "name", "the name of the shared capacity")?,
        };
        let Some(bandwidth) = bandwidth else {
            let mistake = missing(
                "bandwidth",
                "what the links carry together per unit of time",
            );
            return Err(self.entry_error(entry, "", offset, mistake));
        };
        let rate = self.value(entry, "bandwidth", Measure::Bandwidth, &bandwidth)?;
        if !rate.is_positive() {
            let mistake = Mistake::NotPositive {
                what: "the bandwidth of a shared capacity",
                value: bandwidth.scalar.shown(),
            };
            return Err(self.entry_error(entry, "bandwidth", bandwidth.offset, mistake));
        }
        let Some(links) = links else {
            let mistake = missing("links", "the links that share the capacity");
            return Err(self.entry_error(entry, "", offset, mistake));
        };
        let links: Vec<LinkId> = links
            .into_iter()
            .map(|(offset, ends)| {
                let found = self.link_of(&ends);
                found.map_err(|mistake| self.entry_error(entry, "links", offset, mistake))
            })
            .collect::<Result<_, _>>()?;
        let added = self.builder.share(Shared::new(name, rate, links));
        let added = added.map(|_| ());
        added.map_err(|error| self.entry_error(entry, "", offset, Mistake::Platform(error)))
    }

    /// The link between these ends.
    fn link_of(&self, ends: &Ends<'_>) -> Result<LinkId, Mistake> {
        match ends {
            Ends::Pair([from, to]) => {
                let known = |name: &str| {
                    self.builder.find(name).ok_or_else(|| Mistake::UnknownNode {
                        name: clip(name),
                        close: self.close(name),
                    })
                };
                let link = self.builder.find_link(known(from)?, known(to)?);
                link.ok_or_else(|| no_link(&format!("{from} -> {to}")))
            }
            Ends::Arrow(text) => {
                let starts = text.match_indices("->").map(|(start, _)| start);
                let mut links = starts.filter_map(|start| {
                    let from = self.builder.find(text.get(..start)?.trim())?;
                    let to = self.builder.find(text.get(start + 2..)?.trim())?;
                    self.builder.find_link(from, to)
                });
                match (links.next(), links.next()) {
                    (Some(link), None) => Ok(link),
                    (Some(_), Some(_)) => Err(Mistake::WrongValue {
                        value: quoted(text),
                        expected: Cow::Borrowed(
                            "a link that is named unambiguously; write its two ends as [\"a\", \"b\"]",
                        ),
                    }),
                    (None, _) if text.contains("->") => Err(no_link(text)),
                    (None, _) => Err(Mistake::WrongValue {
                        value: quoted(text),
                        expected: Cow::Borrowed(Ends::EXPECTED),
                    }),
                }
            }
        }
    }

    /// Refuses a link that has neither a cost nor a shared capacity.
    pub(super) fn check_limits(&self) -> Result<(), FormatError> {
        for &(link, entry) in &self.unlimited {
            if !self.builder.is_shared(link) {
                let meaning = "the time for one unit of message (or give 'bandwidth', its inverse; a link of a 'shared' \
                               capacity needs neither)";
                let mistake = Mistake::MissingKey {
                    key: "cost",
                    meaning,
                };
                return Err(self.entry_error(entry, "", entry.offset, mistake));
            }
        }
        Ok(())
    }
}

fn no_link(text: &str) -> Mistake {
    Mistake::WrongValue {
        value: quoted(text),
        expected: Cow::Borrowed("a link of the platform; 'link' lists its links"),
    }
}
