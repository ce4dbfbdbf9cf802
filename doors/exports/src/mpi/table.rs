//! A plan as tables of C.

use std::fmt::Write as _;

use oneport_plan::{Problem, Wants};

use crate::operation::{Operation, Step, Value};

/// A plan as tables of C.
#[derive(Debug)]
pub(super) struct Table<'a> {
    /// The problem that the plan solves.
    pub problem: &'a Problem,
    /// The steps of the ranks.
    pub operation: Operation,
    /// The plan's index among the plans of the file.
    pub number: usize,
    /// Bytes of the shortest messages of this plan.
    pub at_least: u64,
    /// Whether the ranks' nodes are the names of hosts.
    pub hosts: bool,
}

impl Table<'_> {
    /// The names of the ranks' nodes in a form for C and its comments: two question marks may begin a trigraph, which
    /// represents another character.
    pub(super) fn names(&self) -> Vec<String> {
        let platform = self.problem.platform();
        let fits = |it: char| it.is_ascii_graphic() && !"\"\\?".contains(it);
        let name = |&node| {
            let name = platform.name(node).replace(|it| !fits(it), "_");
            name.replace("*/", "*_").replace("/*", "_*")
        };
        self.operation.ranks.iter().map(name).collect()
    }

    /// Node of each rank, in words.
    pub(super) fn ranks(&self) -> String {
        let names = self.names();
        let named: Vec<String> = names
            .iter()
            .enumerate()
            .map(|(rank, name)| format!("{rank} = {name}"))
            .collect();
        format!("   Ranks: {}.", named.join(", "))
    }

    /// The collective as C names it.
    pub(super) fn kind(&self) -> String {
        self.operation
            .collective
            .trim_end_matches("-v")
            .replace('-', "_")
            .to_uppercase()
    }

    /// Whether values are combined in any order.
    pub(super) fn commutative(&self) -> bool {
        self.problem
            .demands()
            .next()
            .is_some_and(|demand| demand.commutative)
    }

    /// Whether values are combined in the order of the ranks.
    pub(super) fn ordered(&self) -> bool {
        self.problem.collective().combines() && !self.commutative()
    }

    fn depth(&self) -> usize {
        self.operation
            .steps
            .iter()
            .map(|step| step.stage + 1)
            .max()
            .unwrap_or(1)
    }

    /// Constants of the program at compile time.
    pub(super) fn defines(&self) -> String {
        let [inputs, outputs] = self.operation.sizes();
        let defines = [
            ("RANKS", self.operation.ranks.len()),
            ("PARTICIPANTS", self.operation.participants),
            ("DEPTH", self.depth()),
            ("INPUT_BLOCKS", inputs),
            ("OUTPUT_BLOCKS", outputs),
            (
                "COMBINES",
                usize::from(self.problem.collective().combines()),
            ),
            ("COMMUTATIVE", usize::from(self.commutative())),
            ("ROOT", self.root()),
        ];
        let mut text = String::new();
        for (name, value) in defines {
            let _ = writeln!(text, "#define {name} {value}");
        }
        let _ = writeln!(
            text,
            "#define COLLECTIVE \"{}\"\n",
            self.operation.collective
        );
        text
    }

    /// With counts: the blocks that each participant has for each, or from each, in the form of MPI's calls.
    pub(super) fn moved(&self) -> Option<String> {
        let operation = &self.operation;
        operation.form.counted.then_some(())?;
        let count = operation.participants;
        let mut moved = vec![vec![0; count]; count];
        for block in &operation.blocks {
            let to: Vec<usize> = match operation.form.wants {
                Wants::All => (0..count).collect(),
                Wants::Each | Wants::Prefix => block.goals.iter().map(|goal| goal.0).collect(),
            };
            let pairs = block
                .owners
                .iter()
                .flat_map(|&from| to.iter().map(move |&to| (from, to)));
            for (from, to) in pairs {
                moved[from][to] = block.count;
            }
        }
        let row = |row: &Vec<usize>| {
            let numbers: Vec<String> = row.iter().map(usize::to_string).collect();
            format!("    {{{}}},\n", numbers.join(", "))
        };
        Some(format!(
            "#define COUNTED\nstatic const int moved[PARTICIPANTS][PARTICIPANTS] = {{\n{}}};\n",
            moved.iter().map(row).collect::<String>()
        ))
    }

    /// The tables.
    pub(super) fn write(&self, text: &mut String) {
        let (operation, number) = (&self.operation, self.number);
        let steps = operation.steps.len() + 1;
        let mut slots = vec![0; operation.ranks.len()];
        let slot = |step: &Step| {
            slots[step.to] += 1;
            slots[step.to] - 1
        };
        let slot: Vec<usize> = operation.steps.iter().map(slot).collect();
        let _ = writeln!(
            text,
            "\nstatic const struct step steps_{number}[{steps}] = {{"
        );
        for (step, own) in operation.steps.iter().zip(&slot) {
            let value = |index: usize| match step.inputs.get(index) {
                None => "NONE".to_string(),
                Some(Value::Of(before)) => slot[*before].to_string(),
                Some(Value::Own(_)) => {
                    (-1 - (operation.input_block(step.demand) + step.unit) as i64).to_string()
                }
            };
            let Step {
                from,
                to,
                piece,
                stage,
                ..
            } = step;
            let result = if step.result {
                (operation.output_block(step.demand) + step.unit) as i64
            } else {
                -1
            };
            let _ = writeln!(
                text,
                "    {{{from}, {to}, {piece}, {}, {}, {result}, {stage}, {own}}},",
                value(0),
                value(1)
            );
        }
        text.push_str("    {0, 0, 0, 0, 0, 0, 0, 0}};\n");
        let mut turns: Vec<Vec<usize>> = vec![Vec::new(); operation.ranks.len()];
        for &turn in &operation.turns {
            let Step { from, to, .. } = operation.steps[turn];
            turns[from].push(turn);
            if from != to {
                turns[to].push(turn);
            }
        }
        let ends = turns.iter().scan(0, |end, turns| {
            *end += turns.len();
            Some(*end)
        });
        let first: Vec<usize> = std::iter::once(0).chain(ends).collect();
        numbers(text, &format!("turns_{number}"), &turns.concat());
        numbers(text, &format!("first_{number}"), &first);
        numbers(text, &format!("slots_{number}"), &slots);
        let ranks = operation.ranks.len();
        let _ = writeln!(text, "static const int own_{number}[{ranks}][3] = {{");
        for rank in 0..ranks {
            let [from, to, blocks] = operation
                .own(rank)
                .map_or([-1, -1, 0], |own| own.map(|number| number as i64));
            let _ = writeln!(text, "    {{{from}, {to}, {blocks}}},");
        }
        let blocks = &operation.blocks;
        let owns = |rank| u8::from(blocks.iter().any(|block| block.owners.contains(&rank)));
        let owns: Vec<String> = (0..ranks).map(|rank| owns(rank).to_string()).collect();
        let _ = writeln!(
            text,
            "}};\nstatic const int owns_{number}[{ranks}] = {{{}}};",
            owns.join(", ")
        );
        if self.hosts {
            let names = self.names().join("\", \"");
            let _ = writeln!(
                text,
                "static const char *const hosts_{number}[{ranks}] = {{\"{names}\"}};"
            );
        }
    }

    /// The plan in the table of plans.
    pub(super) fn line(&self) -> String {
        let (operation, number) = (&self.operation, self.number);
        let [inputs, outputs] = operation.sizes();
        format!(
            "    {{{}, {}, {}, {}, {}, {inputs}, {outputs}, {}, {}, {}, {}LL, steps_{number}, turns_{number}, first_{number}, \
             slots_{number}, own_{number}, owns_{number}, {}}},\n",
            self.kind(),
            operation.ranks.len(),
            operation.participants,
            operation.pieces,
            self.depth(),
            u8::from(self.problem.collective().combines()),
            u8::from(self.commutative()),
            self.root(),
            self.at_least,
            if self.hosts {
                format!("hosts_{number}")
            } else {
                "NULL".to_string()
            },
        )
    }

    /// The rank of the root of a rooted collective: the owner of all messages, or the goal of all.
    pub(super) fn root(&self) -> usize {
        let first = self.operation.blocks.first();
        let receives = self
            .operation
            .form
            .roles
            .iter()
            .any(|role| !role.many && !role.owns);
        let root = if receives {
            first
                .and_then(|block| block.goals.first())
                .map(|goal| goal.0)
        } else {
            first.and_then(|block| block.owners.first()).copied()
        };
        root.unwrap_or(0)
    }
}

/// A list of C. A zero follows the last number, for C has no empty lists.
fn numbers(text: &mut String, name: &str, numbers: &[usize]) {
    let _ = write!(text, "static const int {name}[{}] = {{", numbers.len() + 1);
    for (index, number) in numbers.iter().enumerate() {
        let _ = write!(
            text,
            "{}{number},",
            if index % 16 == 0 { "\n    " } else { " " }
        );
    }
    text.push_str("\n    0};\n");
}
