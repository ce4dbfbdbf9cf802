//! No module of a crate imports, directly or not, from a module that imports it. A module is a folder with its `mod.rs`
//! or the file of its name. Modules are compared with their siblings, and with the file of the module that holds them.
//! So no file imports from a file that imports it either.
//!
//! A child that takes an item of its parent imports from the parent's file. A parent that declares its children, or
//! passes their names on by `pub use`, imports nothing. A name that is passed on belongs to the file that defines it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::imports::File;
use super::problem::Problem;
use crate::workspace::Source;

/// Limit on re-exports that are followed in sequence.
const DEPTH: usize = 16;

/// A module by the names that lead to it.
type Module = Vec<String>;

/// Which modules a module imports from, and the first import of each.
type Arrows = BTreeMap<Module, BTreeMap<Module, Import>>;

/// A line of a file that imports from another file.
#[derive(Debug, Clone)]
struct Import {
    file: String,
    line: usize,
    other: String,
}

/// The modules below one `lib.rs` or `main.rs`, tests aside.
#[derive(Default)]
struct Tree {
    modules: BTreeMap<Module, (String, File)>,
}

/// Target of a path.
enum Target {
    /// The module itself.
    Module(Module),
    /// An item of the file of a module.
    Item(Module),
}

/// Checks every crate.
pub fn check(sources: &[Source]) -> Vec<Problem> {
    found(sources).iter().map(problem).collect()
}

/// All circles, each with its modules in order and the arrows between them.
fn found(sources: &[Source]) -> Vec<(Vec<Module>, Arrows)> {
    let texts: BTreeMap<&str, &str> = sources
        .iter()
        .map(|one| (one.path.as_str(), one.text.as_str()))
        .collect();
    let mut found = Vec::new();
    for root in texts.keys().filter(|path| is_root(path)) {
        let tree = Tree::read(&texts, root);
        let arrows = tree.arrows();
        for parent in tree.modules.keys() {
            found.extend(circles(&beside(&arrows, parent)));
        }
    }
    found
}

/// The arrows between a module's own file and its children, each child with its whole subtree.
fn beside(arrows: &Arrows, parent: &Module) -> Arrows {
    let level = |module: &Module| {
        module
            .starts_with(parent)
            .then(|| module[..module.len().min(parent.len() + 1)].to_vec())
    };
    let mut between = Arrows::new();
    for (from, targets) in arrows {
        let Some(from) = level(from) else { continue };
        let own = between.entry(from.clone()).or_default();
        for (to, import) in targets {
            if let Some(to) = level(to).filter(|to| *to != from) {
                own.entry(to).or_insert_with(|| import.clone());
            }
        }
    }
    between
}

/// Whether a file is the root of a crate that is checked.
fn is_root(path: &str) -> bool {
    let Some(folder) = path
        .strip_suffix("/src/lib.rs")
        .or_else(|| path.strip_suffix("/src/main.rs"))
    else {
        return false;
    };
    let inside = |parent: &str| {
        folder
            .strip_prefix(parent)
            .is_some_and(|name| !name.contains('/'))
    };
    inside("crates/") || inside("doors/") || ["papers", "truth", "xtask"].contains(&folder)
}

/// The problem of a circle, and its line.
fn problem((modules, arrows): &(Vec<Module>, Arrows)) -> Problem {
    let way = shortest(&modules[0], arrows);
    let names = modules.iter().map(|module| match module.join("::") {
        root if root.is_empty() => "crate".to_string(),
        name => name,
    });
    let steps = way
        .iter()
        .map(|step| format!("{}:{} imports {}", step.file, step.line, step.other));
    let message = format!(
        "a circle of imports among {} modules ({}): {}; move what both need into a module below them",
        modules.len(),
        names.collect::<Vec<_>>().join(", "),
        steps.collect::<Vec<_>>().join(", ")
    );
    let (file, line) = way
        .first()
        .map_or(("", 0), |step| (step.file.as_str(), step.line));
    Problem::new(file, line, message)
}

/// The imports of a shortest path from a module back to it.
fn shortest(first: &Module, arrows: &Arrows) -> Vec<Import> {
    let mut before: BTreeMap<&Module, (&Module, &Import)> = BTreeMap::new();
    let mut queue = VecDeque::from([first]);
    while let Some(module) = queue.pop_front() {
        for (next, import) in arrows.get(module).into_iter().flatten() {
            if !before.contains_key(next) {
                before.insert(next, (module, import));
                queue.push_back(next);
            }
        }
    }
    let mut way = Vec::new();
    let mut last = first;
    while let Some(&(module, import)) = before.get(last) {
        way.push(import.clone());
        last = module;
        if last == first {
            break;
        }
    }
    way.reverse();
    way
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

    /// Imports between the files of modules.
    fn arrows(&self) -> Arrows {
        let mut arrows = Arrows::new();
        for (module, (path, file)) in &self.modules {
            let own = arrows.entry(module.clone()).or_default();
            let mut point = |target: Module, line: usize| {
                if let Some((other, _)) =
                    self.modules.get(&target).filter(|(other, _)| other != path)
                {
                    own.entry(target).or_insert_with(|| Import {
                        file: path.clone(),
                        line,
                        other: other.clone(),
                    });
                }
            };
            for import in &file.imports {
                let target = match self.resolve(module, &import.path, DEPTH) {
                    Some(Target::Item(target)) => target,
                    Some(Target::Module(target)) if import.name == "*" => target,
                    // A name for a module: the paths contain the names taken through it.
                    _ => continue,
                };
                if !(import.exported && target.starts_with(module)) {
                    point(target, import.line);
                }
            }
            for (words, line) in &file.paths {
                if let Some(Target::Item(target)) = self.resolve(module, words, DEPTH) {
                    point(target, *line);
                }
            }
        }
        arrows
    }

    /// Target of a path in a module. `None` if it is outside of the crate.
    fn resolve(&self, module: &Module, path: &[String], depth: usize) -> Option<Target> {
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

    /// Resolves the rest of a path from the target of its beginning.
    fn further(&self, found: Target, rest: &[String], depth: usize) -> Option<Target> {
        match found {
            Target::Module(module) => self.walk(module, rest, depth),
            item => Some(item),
        }
    }

    /// Follows a path down from a module.
    fn walk(&self, mut module: Module, path: &[String], depth: usize) -> Option<Target> {
        for (index, name) in path.iter().enumerate() {
            let file = self.file(&module)?;
            if file.children.contains(name) {
                module.push(name.clone());
                continue;
            }
            if let Some(import) = file.imports.iter().find(|import| import.name == *name) {
                let found = self.resolve(&module, &import.path, depth)?;
                return self.further(found, &path[index + 1..], depth);
            }
            if !file.items.contains(name) {
                let mut globs = file.imports.iter().filter(|import| import.name == "*");
                let below =
                    globs.find_map(|glob| match self.resolve(&module, &glob.path, depth)? {
                        Target::Module(below) if self.has(&below, name) => Some(below),
                        _ => None,
                    });
                if let Some(below) = below {
                    return self.walk(below, &path[index..], depth.checked_sub(1)?);
                }
            }
            return Some(Target::Item(module));
        }
        Some(Target::Module(module))
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

/// The strongly connected modules, each group with the arrows among them.
fn circles(arrows: &Arrows) -> Vec<(Vec<Module>, Arrows)> {
    let reached: BTreeMap<&Module, BTreeSet<&Module>> = arrows
        .keys()
        .map(|module| (module, reached(arrows, module)))
        .collect();
    let mut done: BTreeSet<&Module> = BTreeSet::new();
    let mut found = Vec::new();
    for (module, own) in &reached {
        if done.contains(module) || !own.contains(module) {
            continue;
        }
        let members: BTreeSet<&Module> = own
            .iter()
            .copied()
            .filter(|other| reached[*other].contains(module))
            .collect();
        done.extend(&members);
        let inside = members.iter().map(|&member| {
            let mut to = arrows[member].clone();
            to.retain(|other, _| members.contains(other));
            (member.clone(), to)
        });
        found.push((
            members.iter().map(|&member| member.clone()).collect(),
            inside.collect(),
        ));
    }
    found
}

/// All modules that arrows lead to from a module, itself among them only if a circle does.
fn reached<'a>(arrows: &'a Arrows, from: &'a Module) -> BTreeSet<&'a Module> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(module) = open.pop() {
        open.extend(
            arrows
                .get(module)
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
    fn found_in(files: &[(&str, &str)]) -> Vec<(Vec<Module>, Arrows)> {
        let source = |(path, text): &(&str, &str)| Source {
            path: format!("crates/a/src/{path}"),
            text: text.to_string(),
        };
        found(&files.iter().map(source).collect::<Vec<_>>())
    }

    /// Compares the circles, each a list of modules. The root is `crate`.
    #[track_caller]
    fn check(files: &[(&str, &str)], expected: &[&[&str]]) {
        let name = |module: &Module| match module.join("::") {
            root if root.is_empty() => "crate".to_string(),
            name => name,
        };
        let circles: Vec<Vec<String>> = found_in(files)
            .iter()
            .map(|(modules, _)| modules.iter().map(name).collect())
            .collect();
        assert_eq!(circles, expected, "{files:?}");
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
            &[&["a", "b"]],
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
            &[&["a", "b"]],
        );
        let three = [
            LIB,
            ("a.rs", "use crate::b::B;"),
            ("b.rs", "use crate::c::C;"),
            ("c.rs", "use crate::a::A;"),
        ];
        check(&three, &[&["a", "b", "c"]]);
        // The name of a module alone imports nothing from its file.
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
            &[&["a::d", "a::e"]],
        );
        check(
            &[
                LIB,
                parent,
                ("a/d.rs", "use crate::b::B;"),
                ("b.rs", "use crate::a::D;"),
            ],
            &[&["a", "b"]],
        );
        check(
            &[
                LIB,
                parent,
                ("a/d.rs", "use crate::b::B;"),
                ("b.rs", "use crate::a::E;"),
                ("a/e.rs", "pub struct E;"),
            ],
            &[&["a", "b"]],
        );
        // Under another name, and from the root.
        let lib = ("lib.rs", "mod a;\nmod b;\npub use a::A as C;\n");
        check(
            &[lib, ("a.rs", "use crate::b::B;"), ("b.rs", "use crate::C;")],
            &[&["a", "b"]],
        );
    }

    #[test]
    fn modules_make_a_circle_if_their_files_do_not() {
        let folder = ("a/mod.rs", "mod d;\nmod e;\n");
        let user = ("a/d.rs", "use crate::b::B;");
        let used = ("a/e.rs", "pub struct E;");
        check(
            &[LIB, folder, user, used, ("b.rs", "use crate::a::e::E;")],
            &[&["a", "b"]],
        );
        check(
            &[LIB, folder, user, used, ("b.rs", "use crate::c::C;")],
            &[],
        );
        // Below one parent, too. A circle inside of a folder is that of its children alone.
        let outer = ("a/mod.rs", "mod f;\nmod g;\n");
        let inner = ("a/f/mod.rs", "mod d;\nmod e;\n");
        let deep = ("a/f/d.rs", "use crate::a::g::G;");
        let leaf = ("a/f/e.rs", "pub struct E;");
        check(
            &[
                LIB,
                outer,
                inner,
                deep,
                leaf,
                ("a/g.rs", "use crate::a::f::e::E;"),
            ],
            &[&["a::f", "a::g"]],
        );
    }

    #[test]
    fn a_child_that_takes_from_its_parent_imports_its_file() {
        let declares = ("a/mod.rs", "mod d;\nstruct A;\n");
        check(&[LIB, declares, ("a/d.rs", "use super::A;")], &[]);
        let uses = ("a/mod.rs", "mod d;\nuse d::D;\nstruct A;\n");
        check(&[LIB, uses, ("a/d.rs", "use super::A;")], &[&["a", "a::d"]]);
        let calls = ("a/mod.rs", "mod d;\nstruct A;\nfn f() { d::g() }\n");
        check(
            &[LIB, calls, ("a/d.rs", "fn g() -> super::A { loop {} }")],
            &[&["a", "a::d"]],
        );
        check(
            &[LIB, calls, ("a/d.rs", "use super::*;")],
            &[&["a", "a::d"]],
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
