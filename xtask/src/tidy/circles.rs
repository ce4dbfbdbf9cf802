//! No file of a crate imports, directly or not, from a file that imports it: a reader of one file reads the files it
//! names, never all.
//!
//! A child that takes an item of its parent imports from the parent's file. A parent that declares its children, or
//! passes their names on by `pub use`, imports nothing; a name that is passed on is of the file that has it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::imports::File;
use super::problem::Problem;
use crate::workspace::Source;

/// Re-exports that are followed, one after another.
const DEPTH: usize = 16;

/// A module by the names that lead to it.
type Module = Vec<String>;

/// Which files a file imports from, and in which line it does first.
type Arrows = BTreeMap<String, BTreeMap<String, usize>>;

/// The modules below one `lib.rs` or `main.rs`, tests aside.
#[derive(Default)]
struct Tree {
    modules: BTreeMap<Module, (String, File)>,
}

/// Target of a path.
enum Found {
    /// The module itself.
    Module(Module),
    /// An item of the file of a module.
    Item(Module),
}

/// Checks every crate.
pub fn check(sources: &[Source]) -> Vec<Problem> {
    found(sources).iter().map(problem).collect()
}

/// All circles, each with its files in order and the arrows between them.
fn found(sources: &[Source]) -> Vec<(Vec<String>, Arrows)> {
    let texts: BTreeMap<&str, &str> = sources
        .iter()
        .map(|one| (one.path.as_str(), one.text.as_str()))
        .collect();
    let roots = texts.keys().filter(|path| is_root(path));
    roots
        .flat_map(|root| circles(&Tree::read(&texts, root).arrows()))
        .collect()
}

/// Whether a file is the root of a crate that is checked.
fn is_root(path: &str) -> bool {
    let Some(folder) = path
        .strip_suffix("/src/lib.rs")
        .or_else(|| path.strip_suffix("/src/main.rs"))
    else {
        return false;
    };
    let inside = |place: &str| {
        folder
            .strip_prefix(place)
            .is_some_and(|name| !name.contains('/'))
    };
    inside("crates/") || inside("doors/") || ["papers", "truth", "xtask"].contains(&folder)
}

/// The problem of a circle, and its line.
fn problem((files, arrows): &(Vec<String>, Arrows)) -> Problem {
    let (line, way) = shortest(files, arrows);
    let message = format!(
        "a circle of imports among {} files ({}): {way}; move what both need into a file below them",
        files.len(),
        files.join(", ")
    );
    Problem::new(&files[0], line, message)
}

/// A shortest path from the first file back to it, every file with the line of its import; and the first line.
fn shortest(files: &[String], arrows: &Arrows) -> (usize, String) {
    let first = &files[0];
    let mut before: BTreeMap<&String, &String> = BTreeMap::new();
    let mut queue = VecDeque::from([first]);
    while let Some(file) = queue.pop_front() {
        for next in arrows.get(file).into_iter().flat_map(BTreeMap::keys) {
            if !before.contains_key(next) {
                before.insert(next, file);
                queue.push_back(next);
            }
        }
    }
    let mut way = vec![first];
    while let Some(file) = before.get(way[way.len() - 1]) {
        way.push(file);
        if *file == first {
            break;
        }
    }
    way.reverse();
    let line = |pair: &[&String]| {
        arrows
            .get(pair[0])
            .and_then(|to| to.get(pair[1]))
            .copied()
            .unwrap_or(0)
    };
    let steps = way
        .windows(2)
        .map(|pair| format!("{}:{} imports {}", pair[0], line(pair), pair[1]));
    (
        way.get(..2).map_or(0, line),
        steps.collect::<Vec<_>>().join(", "),
    )
}

impl Tree {
    fn read(texts: &BTreeMap<&str, &str>, root: &str) -> Tree {
        let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut tree = Tree::default();
        let mut open = vec![(Module::new(), root.to_string())];
        while let Some((module, path)) = open.pop() {
            let Some(text) = texts.get(path.as_str()) else {
                continue;
            };
            let file = File::read(text);
            for child in &file.children {
                let mut below = module.clone();
                below.push(child.clone());
                let stem = format!("{folder}/{}", below.join("/"));
                let path = [format!("{stem}.rs"), format!("{stem}/mod.rs")];
                open.extend(
                    path.into_iter()
                        .find(|path| texts.contains_key(path.as_str()))
                        .map(|path| (below, path)),
                );
            }
            tree.modules.insert(module, (path, file));
        }
        tree
    }

    fn file(&self, module: &Module) -> Option<&File> {
        self.modules.get(module).map(|(_, file)| file)
    }

    /// Imports between files.
    fn arrows(&self) -> Arrows {
        let mut arrows = Arrows::new();
        for (module, (path, file)) in &self.modules {
            let own = arrows.entry(path.clone()).or_default();
            let mut point = |target: Module, line: usize| {
                if let Some((other, _)) =
                    self.modules.get(&target).filter(|(other, _)| other != path)
                {
                    own.entry(other.clone()).or_insert(line);
                }
            };
            for import in &file.imports {
                let target = match self.resolve(module, &import.path, DEPTH) {
                    Some(Found::Item(target)) => target,
                    Some(Found::Module(target)) if import.name == "*" => target,
                    // A name for a module: what is taken through it is among the paths.
                    _ => continue,
                };
                if !(import.exported && target.starts_with(module)) {
                    point(target, import.line);
                }
            }
            for (words, line) in &file.paths {
                if let Some(Found::Item(target)) = self.resolve(module, words, DEPTH) {
                    point(target, *line);
                }
            }
        }
        arrows
    }

    /// Target of a path in a module; `None` if it is outside of the crate.
    fn resolve(&self, module: &Module, path: &[String], depth: usize) -> Option<Found> {
        let depth = depth.checked_sub(1)?;
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => self.walk(Module::new(), rest, depth),
            "self" => self.walk(module.clone(), rest, depth),
            "super" => {
                let (_, above) = module.split_last()?;
                match rest.first().map(String::as_str) {
                    Some("super") => self.resolve(&above.to_vec(), rest, depth),
                    _ => self.walk(above.to_vec(), rest, depth),
                }
            }
            _ => {
                let file = self.file(module)?;
                if file.children.contains(first) {
                    return self.walk(module.clone(), path, depth);
                }
                let import = file.imports.iter().find(|import| import.name == *first)?;
                // `use a;` of a crate called a.
                if import.path == [first.clone()] {
                    return None;
                }
                self.further(self.resolve(module, &import.path, depth)?, rest, depth)
            }
        }
    }

    /// The rest of a path, after what its beginning means.
    fn further(&self, found: Found, rest: &[String], depth: usize) -> Option<Found> {
        match found {
            Found::Module(module) => self.walk(module, rest, depth),
            item => Some(item),
        }
    }

    /// Follows a path down from a module.
    fn walk(&self, mut module: Module, path: &[String], depth: usize) -> Option<Found> {
        for (place, name) in path.iter().enumerate() {
            let file = self.file(&module)?;
            if file.children.contains(name) {
                module.push(name.clone());
                continue;
            }
            if let Some(import) = file.imports.iter().find(|import| import.name == *name) {
                let found = self.resolve(&module, &import.path, depth)?;
                return self.further(found, &path[place + 1..], depth);
            }
            if !file.items.contains(name) {
                let mut globs = file.imports.iter().filter(|import| import.name == "*");
                let below =
                    globs.find_map(|glob| match self.resolve(&module, &glob.path, depth)? {
                        Found::Module(below) if self.has(&below, name) => Some(below),
                        _ => None,
                    });
                if let Some(below) = below {
                    return self.walk(below, &path[place..], depth.checked_sub(1)?);
                }
            }
            return Some(Found::Item(module));
        }
        Some(Found::Module(module))
    }

    fn has(&self, module: &Module, name: &String) -> bool {
        self.file(module).is_some_and(|file| {
            file.items.contains(name)
                || file
                    .imports
                    .iter()
                    .any(|import| import.exported && import.name == *name)
        })
    }
}

/// The strongly connected files, each group with the arrows among them: arrows between its files.
fn circles(arrows: &Arrows) -> Vec<(Vec<String>, Arrows)> {
    let reached: BTreeMap<&String, BTreeSet<&String>> = arrows
        .keys()
        .map(|file| (file, reached(arrows, file)))
        .collect();
    let mut done: BTreeSet<&String> = BTreeSet::new();
    let mut found = Vec::new();
    for (file, own) in &reached {
        if done.contains(file) || !own.contains(file) {
            continue;
        }
        let members: BTreeSet<&String> = own
            .iter()
            .copied()
            .filter(|other| reached[*other].contains(file))
            .collect();
        done.extend(&members);
        let inside = members.iter().map(|&member| {
            let to = arrows[member].iter().filter(|(to, _)| members.contains(to));
            (
                member.clone(),
                to.map(|(to, line)| (to.clone(), *line)).collect(),
            )
        });
        found.push((
            members.iter().map(|&member| member.clone()).collect(),
            inside.collect(),
        ));
    }
    found
}

/// All files that arrows lead to from a file, itself among them only if a circle does.
fn reached<'a>(arrows: &'a Arrows, from: &'a String) -> BTreeSet<&'a String> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(file) = open.pop() {
        open.extend(
            arrows
                .get(file)
                .into_iter()
                .flat_map(BTreeMap::keys)
                .filter(|next| seen.insert(*next)),
        );
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The circles among made-up files of one crate.
    fn found_in(files: &[(&str, &str)]) -> Vec<(Vec<String>, Arrows)> {
        let source = |(path, text): &(&str, &str)| Source {
            path: format!("crates/a/src/{path}"),
            text: text.to_string(),
        };
        found(&files.iter().map(source).collect::<Vec<_>>())
    }

    #[track_caller]
    fn check(files: &[(&str, &str)], expected: &[&[&str]]) {
        let circles: Vec<Vec<String>> = found_in(files)
            .into_iter()
            .map(|(files, _)| files)
            .collect();
        let full = |names: &&[&str]| {
            names
                .iter()
                .map(|name| format!("crates/a/src/{name}"))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            circles,
            expected.iter().map(full).collect::<Vec<_>>(),
            "{files:?}"
        );
    }

    const LIB: (&str, &str) = ("lib.rs", "mod a;\nmod b;\nmod c;\n");

    #[test]
    fn two_files_and_more_make_a_circle() {
        check(
            &[
                LIB,
                ("a.rs", "use crate::b::B;"),
                ("b.rs", "use crate::a::A;"),
            ],
            &[&["a.rs", "b.rs"]],
        );
        check(
            &[LIB, ("a.rs", "use crate::b::B;"), ("b.rs", "struct B;")],
            &[],
        );
        check(
            &[
                LIB,
                ("a.rs", "use super::b;\nfn f() { b::g() }"),
                ("b.rs", "fn g() { crate::a::f() }"),
            ],
            &[&["a.rs", "b.rs"]],
        );
        let three = [
            LIB,
            ("a.rs", "use crate::b::B;"),
            ("b.rs", "use crate::c::C;"),
            ("c.rs", "use crate::a::A;"),
        ];
        check(&three, &[&["a.rs", "b.rs", "c.rs"]]);
        // The name of a module alone takes nothing from its file.
        check(
            &[LIB, ("a.rs", "use crate::b;"), ("b.rs", "use crate::a::A;")],
            &[],
        );
    }

    #[test]
    fn a_parent_passes_the_names_of_its_children_on() {
        let parent = ("a/mod.rs", "mod d;\nmod e;\npub use d::D;\npub use e::*;\n");
        // The name of d is of d, also if another file re-exports it.
        check(
            &[
                LIB,
                parent,
                ("a/d.rs", "pub struct D;"),
                ("a/e.rs", "use super::D;"),
            ],
            &[],
        );
        check(
            &[
                LIB,
                parent,
                ("a/d.rs", "use crate::a::E;"),
                ("a/e.rs", "use super::D; pub struct E;"),
            ],
            &[&["a/d.rs", "a/e.rs"]],
        );
        check(
            &[
                LIB,
                parent,
                ("a/d.rs", "use crate::b::B;"),
                ("b.rs", "use crate::a::D;"),
            ],
            &[&["a/d.rs", "b.rs"]],
        );
        check(
            &[
                LIB,
                parent,
                ("a/d.rs", "use crate::b::B;"),
                ("b.rs", "use crate::a::E;"),
                ("a/e.rs", "pub struct E;"),
            ],
            &[],
        );
        // Under another name, and from the root.
        let lib = ("lib.rs", "mod a;\nmod b;\npub use a::A as C;\n");
        check(
            &[lib, ("a.rs", "use crate::b::B;"), ("b.rs", "use crate::C;")],
            &[&["a.rs", "b.rs"]],
        );
    }

    #[test]
    fn a_child_that_takes_from_its_parent_imports_its_file() {
        let declares = ("a/mod.rs", "mod d;\nstruct A;\n");
        check(&[LIB, declares, ("a/d.rs", "use super::A;")], &[]);
        let uses = ("a/mod.rs", "mod d;\nuse d::D;\nstruct A;\n");
        check(
            &[LIB, uses, ("a/d.rs", "use super::A;")],
            &[&["a/d.rs", "a/mod.rs"]],
        );
        let calls = ("a/mod.rs", "mod d;\nstruct A;\nfn f() { d::g() }\n");
        check(
            &[LIB, calls, ("a/d.rs", "fn g() -> super::A { loop {} }")],
            &[&["a/d.rs", "a/mod.rs"]],
        );
        check(
            &[LIB, calls, ("a/d.rs", "use super::*;")],
            &[&["a/d.rs", "a/mod.rs"]],
        );
        // Items that a parent imports from outside are not the parent's.
        let outside = ("a/mod.rs", "mod d;\nuse other::A;\nfn f() { d::g() }\n");
        check(&[LIB, outside, ("a/d.rs", "use super::A;")], &[]);
    }

    #[test]
    fn tests_and_other_folders_are_ignored() {
        check(
            &[
                LIB,
                ("a.rs", "use crate::b::B;"),
                ("b.rs", "#[cfg(test)]\nmod tests { use crate::a::A; }"),
            ],
            &[],
        );
        let tests = ("b.rs", "#[cfg(test)]\nmod tests;\n");
        check(
            &[
                LIB,
                ("a.rs", "use crate::b::B;"),
                tests,
                ("b/tests.rs", "use super::B; use crate::a::A;"),
            ],
            &[],
        );
        assert!(is_root("doors/a/src/main.rs") && is_root("truth/src/lib.rs"));
        assert!(
            !is_root("crates/a/tests/it/main.rs")
                && !is_root("benches/src/lib.rs")
                && !is_root("crates/a/b/src/lib.rs")
        );
    }

    #[test]
    fn a_circle_is_named_with_its_imports() {
        let (a, b) = ("crates/a/src/a.rs", "crates/a/src/b.rs");
        let circle = found_in(&[
            LIB,
            ("a.rs", "\nuse crate::b::B;"),
            ("b.rs", "use crate::a::A;"),
        ]);
        let told: Vec<Problem> = circle.iter().map(problem).collect();
        assert_eq!((told.len(), told[0].path.as_str(), told[0].line), (1, a, 2));
        assert!(
            told[0]
                .message
                .contains(&format!("{a}:2 imports {b}, {b}:1 imports {a};")),
            "{told:?}"
        );
    }
}
