/* The collectives, and what a plan is. */

enum kind { SCATTER, GATHER, BROADCAST, ALL_GATHER, ALL_TO_ALL, REDUCE, REDUCE_SCATTER, ALL_REDUCE, SCAN, KINDS };

#define NONE INT32_MIN

/* `left` goes from a rank to another, or is combined with `right`: the number of the step that left it, or -1 - b: block b
   of the rank's own input. `result`: the block of the output, or -1. `stage`: periods after the first. */
struct step { int from, to, piece, left, right, result, stage; };

/* `turn`: the steps in the order of a period. `own`: blocks that a rank copies from its input to its output, or -1.
   `owns`: whether a rank owns an operand. Ranks from `participants` on only pass on or combine. `at_least`: bytes of the
   messages that the plan serves. `hosts`: the names of the ranks' nodes, or NULL. */
struct plan {
    enum kind kind;
    int ranks, participants, pieces, steps, depth, input_blocks, output_blocks, combines, commutative, root;
    long long at_least;
    const struct step *step;
    const int *turn, (*own)[2], *owns;
    const char *const *hosts;
};
