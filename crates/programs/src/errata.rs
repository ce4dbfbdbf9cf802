//! The switches of the errors that the papers print.

/// Printed errors, one switch each. docs/errata.md describes them. All off: the corrected program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Errata {
    /// E000-1: the conservation law also binds the source.
    pub source_conserves: bool,
    /// E000-2, E000-4, E000-10: a message or result may leave its target and return to its source.
    pub returns: bool,
    /// E000-3: the last line of SSPA2A counts the messages `m_{k,l}` that reach `P_k`.
    pub counted_at_source: bool,
    /// E000-11: (10) is waived for `v[i,i]` at the node numbered `i`, also if another node owns the value.
    pub node_numbers: bool,
    /// E000-12: (10) is waived at the target for `v[0,n-1]`, with `n` the number of nodes.
    pub nodes_for_operands: bool,
    /// E000-13: `v[k,m]` is used by `T[n,k,m]`, as in the text above (10).
    pub wrong_split: bool,
    /// E000-30: send and cons may be negative. s and alpha may not.
    pub negative_rates: bool,
    /// E003-1: the time on a link lacks the factor `c(i, j)`.
    pub no_cost: bool,
    /// E003-2: the right side of the conservation law reads `s(P_j -> P_i, m_k)`, summed over the links out of `P_i`.
    pub wrong_right_side: bool,
    /// E003-3: conserved amounts are also at most 1.
    pub at_most_one: bool,
    /// E003-5: the throughput counts `v[0,m]` for every `m`.
    pub any_part: bool,
    /// E003-6: the throughput leaves out the merge `T[0,N-1,N]` at the target.
    pub short_sum: bool,
    /// E004-1: the time of a link is bounded from above by its messages.
    pub time_from_above: bool,
    /// E004-14: (edge_k) counts a link once per pattern, however many of its messages use it.
    pub once_per_pattern: bool,
    /// E004-15: (edge_k) is an equation, so that `v` may be negative.
    pub edge_equation: bool,
}

impl Errata {
    /// None: the corrected programs.
    pub const NONE: Errata = Errata {
        source_conserves: false,
        returns: false,
        counted_at_source: false,
        node_numbers: false,
        nodes_for_operands: false,
        wrong_split: false,
        negative_rates: false,
        no_cost: false,
        wrong_right_side: false,
        at_most_one: false,
        any_part: false,
        short_sum: false,
        time_from_above: false,
        once_per_pattern: false,
        edge_equation: false,
    };

    /// Those of SSSP(G) in RR-4872, section 3.1.
    pub const SSSP: Errata = Errata {
        source_conserves: true,
        returns: true,
        ..Errata::NONE
    };

    /// Those of SSPA2A(G) in RR-4872, section 3.5, whose conservation law leaves out both ends of a message.
    pub const SSPA2A: Errata = Errata {
        returns: true,
        counted_at_source: true,
        ..Errata::NONE
    };

    /// Those of SSR(G) in RR-4872, section 4.2, read with operand `i` at its owner and `n - 1 = N`: otherwise its
    /// throughput is 0 or worse.
    pub const SSR: Errata = Errata {
        returns: true,
        ..Errata::NONE
    };

    /// Those of the flow programs in RR-2004-32, section 2.2.
    pub const BROADCAST: Errata = Errata {
        returns: true,
        time_from_above: true,
        ..Errata::NONE
    };

    /// Those of (P) and (D) in RR-2004-32, sections 3 and 4.
    pub const MATCHINGS: Errata = Errata {
        once_per_pattern: true,
        edge_equation: true,
        ..Errata::NONE
    };
}
