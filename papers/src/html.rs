//! The report as one self-contained page.

use std::fmt::Write;

use crate::figures::{Body, Figure};
use crate::networks;
use crate::report::{KINDS, LOST, LOST_HEADER, Report, VERDICTS, file_name};
use crate::rows::{Judged, Verdict};

const STYLE: &str = include_str!("style.css");

/// The whole page: style and drawings are inline, and no other file is loaded.
pub fn page(report: &Report) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>The papers against oneport</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
    );
    header(&mut out, report);
    out.push_str("<main>\n");
    for section in &report.sections {
        let paper = &section.paper;
        let _ = write!(
            out,
            "<section id=\"{}\">\n<h2>{}</h2>\n<p class=\"source\"><em>{}</em>. {}.</p>\n",
            file_name(&paper.name),
            escape(&paper.name),
            escape(&paper.title),
            escape(&paper.source)
        );
        rows(&mut out, &section.rows);
        figures(&mut out, &section.figures);
        out.push_str("</section>\n");
    }
    networks_section(&mut out, report);
    lost(&mut out, report);
    errata(&mut out, report);
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

fn header(out: &mut String, report: &Report) {
    out.push_str("<header>\n<h1>The papers against oneport</h1>\n<p>Every printed value and claim, computed again in exact arithmetic.</p>\n<ul class=\"counts\">\n");
    for (verdict, meaning) in VERDICTS {
        let (count, name) = (report.count(verdict), verdict.name());
        let meaning = match verdict {
            Verdict::Holds => format!(
                "{meaning}; {} of them are statements of ours",
                report.ours()
            ),
            _ => meaning.to_string(),
        };
        let _ = writeln!(
            out,
            "<li class=\"{}\"><b>{count}</b> {name}<small>{meaning}</small></li>",
            class(Ok(verdict))
        );
    }
    out.push_str("</ul>\n<ul class=\"counts kinds\">\n");
    for (kind, meaning) in KINDS {
        let _ = writeln!(out, "<li>{}<small>{meaning}</small></li>", kind.name());
    }
    let failures = report.failures();
    if !failures.is_empty() {
        let _ = writeln!(
            out,
            "<li class=\"bad\"><b>{}</b> unexpected<small>{}</small></li>",
            failures.len(),
            escape(&failures.join("; "))
        );
    }
    out.push_str("</ul>\n<nav>\n");
    for section in &report.sections {
        let _ = writeln!(
            out,
            "<a href=\"#{}\">{}</a>",
            file_name(&section.paper.name),
            escape(&section.paper.name)
        );
    }
    out.push_str(
        "<a href=\"#networks\">Networks</a>\n<a href=\"#lost\">Not reproduced</a>\n<a href=\"#errata\">Errata</a>\n</nav>\n</header>\n",
    );
}

fn rows(out: &mut String, rows: &[Judged]) {
    out.push_str("<div class=\"wide\"><table class=\"rows\">\n<thead><tr><th>where</th><th>what</th><th>stated</th><th>ours</th><th>verdict</th></tr></thead>\n<tbody>\n");
    for judged in rows {
        let row = &judged.row;
        let note = if judged.note.is_empty() {
            String::new()
        } else {
            format!("<small>{}</small>", words(&judged.note))
        };
        let drawn: Vec<String> = row
            .drawn
            .iter()
            .map(|title| {
                format!(
                    "<small><a href=\"#{}\">{}</a></small>",
                    file_name(title),
                    escape(title)
                )
            })
            .collect();
        let (drawn, kind) = (drawn.concat(), row.kind.name());
        let erratum = row
            .erratum
            .as_ref()
            .map(|id| format!(" <a href=\"#{id}\">{id}</a>", id = escape(id)))
            .unwrap_or_default();
        let verdict = judged.verdict.clone();
        let name = verdict.as_ref().map_or_else(
            |why| format!("unexpected: {}", escape(why)),
            |verdict| verdict.name().to_string(),
        );
        let _ = writeln!(
            out,
            "<tr><td>{}<small>{}</small></td><td>{}{note}{drawn}</td><td class=\"value\"><small>{kind}</small>{}</td><td class=\"value\">{}</td><td><span class=\"badge {}\">{name}</span>{erratum}</td></tr>",
            escape(&row.place),
            escape(&row.id),
            words(&row.what),
            value(&row.stated.to_string()),
            value(&judged.ours),
            class(verdict.as_ref().copied().map_err(|_| ())),
        );
    }
    out.push_str("</tbody>\n</table></div>\n");
}

/// Running text, with real arrows and signs.
fn words(text: &str) -> String {
    let signs = escape(text)
        .replace(" &lt;-&gt; ", " ↔ ")
        .replace(" -&gt; ", " → ");
    signs.replace("&lt;= ", "≤ ").replace(" /= ", " ≠ ")
}

/// Long lists break between their entries, not within.
fn value(text: &str) -> String {
    words(text)
        .replace(" → ", "&nbsp;→&nbsp;")
        .replace(": ", ":&nbsp;")
}

fn figures(out: &mut String, figures: &[Figure]) {
    if figures.is_empty() {
        return;
    }
    out.push_str("<div class=\"figures\">\n");
    for figure in figures {
        let wide = if figure.wide { " class=\"whole\"" } else { "" };
        let _ = writeln!(
            out,
            "<figure id=\"{}\"{wide}>\n<h3>{}</h3>",
            file_name(&figure.title),
            escape(&figure.title)
        );
        match &figure.body {
            Body::Svg(svg) => {
                let _ = writeln!(out, "<div class=\"drawing\">{svg}</div>");
            }
            Body::Table { header, rows } => table(out, header, rows),
        }
        let _ = writeln!(
            out,
            "<figcaption>{}</figcaption>\n</figure>",
            words(&figure.caption)
        );
    }
    out.push_str("</div>\n");
}

fn table(out: &mut String, header: &[String], rows: &[Vec<String>]) {
    out.push_str("<div class=\"wide\"><table>\n<thead><tr>");
    for head in header {
        let _ = write!(out, "<th>{}</th>", escape(head));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        for cell in row {
            let _ = write!(out, "<td>{}</td>", value(cell));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table></div>\n");
}

fn networks_section(out: &mut String, report: &Report) {
    out.push_str("<section id=\"networks\">\n<h2>Networks</h2>\n<p>The same pipeline on real networks and on our own platforms. The referee has checked every plan: paths, ports, certificate, schedule.</p>\n");
    let header: Vec<String> = ["network", "collective"]
        .iter()
        .chain(&networks::HEADER)
        .map(ToString::to_string)
        .collect();
    let rows: Vec<Vec<String>> = report
        .networks
        .rows
        .iter()
        .map(|row| {
            [&row.network, &row.collective]
                .into_iter()
                .chain(&row.cells)
                .cloned()
                .collect()
        })
        .collect();
    table(out, &header, &rows);
    for note in &report.networks.notes {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", escape(note));
    }
    figures(out, &report.networks.figures);
    out.push_str("</section>\n");
}

fn lost(out: &mut String, report: &Report) {
    let _ = writeln!(
        out,
        "<section id=\"lost\">\n<h2>{LOST}</h2>\n<p>Rows that are open, or that no text we have lets anybody compute.</p>"
    );
    let rows: Vec<Vec<String>> = report.lost().iter().map(|row| row.to_vec()).collect();
    table(out, &LOST_HEADER.map(str::to_string), &rows);
    out.push_str("</section>\n");
}

fn errata(out: &mut String, report: &Report) {
    out.push_str("<section id=\"errata\">\n<h2>Errata</h2>\n<p>Counterexamples and reasons are in docs/errata.md; a test runs each of them.</p>\n<dl>\n");
    for (id, title) in &report.errata {
        let _ = writeln!(
            out,
            "<dt id=\"{id}\">{id}</dt><dd>{title}</dd>",
            id = escape(id),
            title = words(title)
        );
    }
    out.push_str("</dl>\n</section>\n");
}

fn class(verdict: Result<Verdict, ()>) -> &'static str {
    match verdict {
        Ok(Verdict::Exact | Verdict::Holds) => "exact",
        Ok(Verdict::Corrected) => "corrected",
        Ok(Verdict::NotReproducible | Verdict::Open) => "lost",
        Err(()) => "bad",
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
