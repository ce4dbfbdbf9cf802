//! Links over which messages take no time: whether a question has an answer then.
//!
//! An instance that takes no time can be executed infinitely often, so a throughput exists if and only if some demand
//! has no pattern that is free of charge when every resource has the price 1.

use num_traits::One;
use oneport_plan::Kind;
use oneport_platform::Rational;

use crate::oracles::Patterns;
use crate::resources::Resources;
use crate::{LpError, Question};

/// Refuses questions that links of cost 0 leave without an answer, and questions that are not solved on such platforms.
/// One oracle call if there is such a link.
///
/// # Errors
/// [`LpError::FreeLink`], [`LpError::Unbounded`].
pub(crate) fn check(question: &Question) -> Result<(), LpError> {
    let Some(link) = question.platform().free_link() else {
        return Ok(());
    };
    check_kinds(question)?;
    let resources = Resources::new(question.platform(), question.collective().combines());
    let ones = vec![Rational::one(); resources.count()];
    let patterns = Patterns::new(question).cheapest(&resources.prices(&ones))?;
    question.watch().ask()?;
    if patterns
        .iter()
        .any(|(_, pattern)| !resources.loads(question, pattern).is_empty())
    {
        return Ok(());
    }
    let link = question.platform().link_name(link);
    Err(LpError::Unbounded {
        collective: question.collective().name(),
        link,
    })
}

/// Refuses values combined for several nodes: the bounds of their schemes divide by costs of links.
///
/// # Errors
/// [`LpError::FreeLink`].
pub(crate) fn check_kinds(question: &Question) -> Result<(), LpError> {
    let Some(link) = question.platform().free_link() else {
        return Ok(());
    };
    let blocks = question.problem().blocks();
    match blocks
        .iter()
        .find(|block| matches!(block.kind, Kind::CombineCopy | Kind::Prefix))
    {
        Some(block) => Err(LpError::FreeLink {
            collective: block.name,
            link: question.platform().link_name(link),
        }),
        None => Ok(()),
    }
}
