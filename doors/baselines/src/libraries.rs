//! Which libraries run which algorithm, by their own names for it.

use oneport_plan::{Form, Problem};

/// Rows: the algorithm's name, the forms that a row is about, and who runs it. The numbers are those of Open MPI's
/// `coll_tuned_X_algorithm`; MPICH's names are those of `MPIR_CVAR_X_INTRA_ALGORITHM`.
///
/// Read in NCCL 2.30.7, RCCL 0cbce2a7, MSCCL++ 0.9.0, MPICH 5.1.0a1 and Open MPI 6.1a1.
const LIBRARIES: &[(&str, &[&Form], &str)] = {
    const SPREADS: &[&Form] = &[Form::ALL_GATHER, Form::REDUCE_SCATTER, Form::ALL_REDUCE];
    const ROOTED: &[&Form] = &[Form::BROADCAST, Form::REDUCE];
    &[
        ("ring", SPREADS, "Open MPI and MPICH ring"),
        (
            "ring",
            &[Form::BROADCAST],
            "Open MPI 9, MPICH scatter_ring_allgather",
        ),
        (
            "recursive doubling",
            &[Form::BROADCAST],
            "Open MPI 8, MPICH scatter_recursive_doubling_allgather",
        ),
        (
            "recursive doubling",
            &[Form::ALL_REDUCE, Form::ALL_GATHER],
            "Open MPI 3, MPICH recursive_doubling",
        ),
        (
            "recursive halving",
            &[Form::REDUCE_SCATTER],
            "Open MPI 2, MPICH recursive_halving",
        ),
        (
            "recursive doubling",
            &[Form::SCAN],
            "Open MPI 2, MPICH recursive_doubling",
        ),
        ("chain", &[Form::SCAN], "Open MPI 1"),
        (
            "Rabenseifner",
            &[Form::ALL_REDUCE],
            "Open MPI 6, MPICH reduce_scatter_allgather",
        ),
        (
            "Rabenseifner",
            &[Form::REDUCE],
            "Open MPI 7, MPICH reduce_scatter_gather",
        ),
        ("Bruck", &[Form::ALL_GATHER], "Open MPI 2, MPICH brucks"),
        ("Bruck", &[Form::ALL_TO_ALL], "Open MPI 3, MPICH brucks"),
        (
            "pairwise exchange",
            &[Form::ALL_TO_ALL],
            "NCCL and RCCL all pairs, Open MPI 2, MPICH pairwise",
        ),
        (
            "pairwise exchange",
            &[Form::ALL_GATHER],
            "Open MPI 8, MSCCL++ fullmesh",
        ),
        (
            "pairwise exchange",
            &[Form::REDUCE_SCATTER],
            "MPICH pairwise",
        ),
        (
            "one shot",
            &[Form::ALL_REDUCE],
            "Open MPI 7, MSCCL++ allpair",
        ),
        (
            "two shots",
            &[Form::ALL_REDUCE],
            "MSCCL allpairs, MSCCL++ packet, rsag and fullmesh",
        ),
        ("chain", ROOTED, "Open MPI 3"),
        ("flat tree", ROOTED, "Open MPI 1"),
        ("flat tree", &[Form::SCATTER, Form::GATHER], "Open MPI 1"),
        ("binary tree", &[Form::BROADCAST], "Open MPI 5"),
        ("binary tree", &[Form::REDUCE], "Open MPI 4"),
        (
            "binomial tree",
            &[Form::BROADCAST],
            "Open MPI 6, MPICH binomial",
        ),
        (
            "binomial tree",
            &[Form::REDUCE],
            "Open MPI 5, MPICH binomial",
        ),
        (
            "binomial tree",
            &[Form::SCATTER, Form::GATHER],
            "Open MPI 2, MPICH binomial",
        ),
        ("binomial tree", &[Form::ALL_REDUCE], "Open MPI 2"),
        ("hierarchical", ROOTED, "Open MPI HAN, MPICH smp"),
        ("hierarchical", &[Form::ALL_GATHER], "Open MPI HAN"),
        (
            "rings, one per member of a group",
            SPREADS,
            "NCCL and RCCL Ring",
        ),
        ("4-nomial tree", &[Form::BROADCAST], "Open MPI 7"),
        ("4-nomial tree", &[Form::REDUCE], "Open MPI 8"),
        ("4 chains", ROOTED, "Open MPI 2"),
        ("split binary tree", &[Form::BROADCAST], "Open MPI 4"),
        ("neighbor exchange", &[Form::ALL_GATHER], "Open MPI 5"),
        ("NCCL NVLS", &[], "NCCL"),
        ("NCCL NVLSTree", &[], "NCCL"),
        ("NCCL CollNetChain", &[], "NCCL"),
        ("NCCL CollNetDirect", &[], "NCCL"),
        ("NCCL", &[], "NCCL, RCCL"),
        ("HAN", &[], "Open MPI HAN"),
        ("MPICH smp", &[], "MPICH smp"),
    ]
};

/// The libraries that run an algorithm of this name for this collective, and their names for it. `None` if no library
/// that is known does. A row without forms is about all. One that is a first word, about all names that begin with it.
pub fn run_by(problem: &Problem, name: &str) -> Option<&'static str> {
    let form = problem.collective().form().map(Form::alike);
    let about =
        |forms: &[&Form]| forms.is_empty() || form.is_some_and(|form| forms.contains(&form));
    let is = |row: &str| {
        row == name
            || name
                .strip_prefix(row)
                .is_some_and(|rest| rest.starts_with(' ') && row.len() < 5)
    };
    LIBRARIES
        .iter()
        .find(|(row, forms, _)| is(row) && about(forms))
        .map(|(_, _, libraries)| *libraries)
}
