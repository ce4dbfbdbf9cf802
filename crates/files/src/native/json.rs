//! The native platform file in JSON.

use oneport_platform::{NumberError, Platform, Rational, parse_rational};

use super::measures::Measures;
use super::shared::{Ends, SHARED_KEYS};
use super::{Assembly, Field, LINK_KEYS, NODE_KEYS, TOP_KEYS};
use crate::error::{FormatError, Mistake};
use crate::json::{Json, need};
use crate::source::Source;

/// Reads a whole file.
pub(crate) fn read_json(source: Source<'_>) -> Result<Platform, FormatError> {
    let top = Json::parse(source)?;
    let [format] = top.open_object(["format"])?;
    if let Some(format) = format.filter(|format| is_of_plans(*format)) {
        return Err(format.fail(Mistake::PlanAsPlatform));
    }
    assemble(top, "", parse_rational)
}

/// Reads a platform that may be part of a larger file, whose keys are then preceded by `prefix` in messages.
pub(crate) fn assemble(
    top: Json<'_, '_>,
    prefix: &'static str,
    number: fn(&str) -> Result<Rational, NumberError>,
) -> Result<Platform, FormatError> {
    let [format, model, units, nodes, links, shared] = top.object(TOP_KEYS)?;
    let mut assembly = Assembly {
        prefix,
        measures: Measures::new(number),
        ..Assembly::new(top.source)
    };
    assembly.head(fields([format, model, units])?)?;
    need(&top, nodes, "node", "the list of nodes")?.each(|index, node| {
        let fields = fields(node.object(NODE_KEYS)?)?;
        assembly.node(index, node.offset(), fields)
    })?;
    if let Some(links) = links {
        links.each(|index, link| {
            let fields = fields(link.object(LINK_KEYS)?)?;
            assembly.link(index, link.offset(), fields)
        })?;
    }
    if let Some(shared) = shared {
        shared.each(|index, one| {
            let [name, bandwidth, links] = one.object(SHARED_KEYS)?;
            let fields = fields([name, bandwidth])?;
            let links = links.map(listed).transpose()?;
            assembly.shared(index, one.offset(), fields, links)
        })?;
    }
    assembly.finish()
}

/// The links of a shared capacity, with their offsets.
fn listed<'a>(links: Json<'a, '_>) -> Result<Vec<(usize, Ends<'a>)>, FormatError> {
    let mut all = Vec::new();
    links.each(|_, link| {
        let ends = match link.opening() {
            Some(b'"') => Some(Ends::Arrow(link.string()?)),
            Some(b'[') => {
                let mut names = Vec::new();
                link.each(|_, name| {
                    names.push(name.string()?);
                    Ok(())
                })?;
                Ends::pair(names)
            }
            _ => None,
        };
        let ends = ends.ok_or_else(|| link.wrong(Ends::EXPECTED))?;
        all.push((link.offset(), ends));
        Ok(())
    })?;
    Ok(all)
}

fn is_of_plans(format: Json<'_, '_>) -> bool {
    format
        .string()
        .is_ok_and(|format| format.starts_with("oneport-plan/"))
}

fn field<'a>(value: Json<'a, '_>) -> Result<Field<'a>, FormatError> {
    Ok(Field {
        offset: value.offset(),
        scalar: value.scalar()?,
    })
}

fn fields<'a, const N: usize>(
    values: [Option<Json<'a, '_>>; N],
) -> Result<[Option<Field<'a>>; N], FormatError> {
    let mut fields = [const { None }; N];
    for (known, value) in fields.iter_mut().zip(values) {
        *known = value.map(field).transpose()?;
    }
    Ok(fields)
}
