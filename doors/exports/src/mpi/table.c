/* The collectives, and what a plan is. */

enum kind { SCATTER, GATHER, BROADCAST, ALL_GATHER, ALL_TO_ALL, REDUCE, REDUCE_SCATTER, ALL_REDUCE, SCAN, KINDS };

#define NONE INT32_MIN

/* A step leaves a value in slot `slot` of rank `to`: `left` goes there from rank `from`, or is combined with `right`. These
   are slots of rank `from`, or -1 - b: block b of the rank's own input. `result`: the block of the output, or -1. `stage`:
   periods after the first. */
struct step { int from, to, piece, left, right, result, stage, slot; };

/* `turn`: the steps of one rank after the other, each rank's from its `first` on, in the order of a period. `slots`: how
   many a rank has. `own`: blocks that a rank copies from its input, to its output, or -1, and how many. `owns`: whether a rank owns an
   operand. Ranks from `participants` on only pass on or combine. `at_least`: bytes of the messages that the plan serves.
   `hosts`: the names of the ranks' nodes, or NULL. */
struct plan {
    enum kind kind;
    int ranks, participants, pieces, depth, input_blocks, output_blocks, combines, commutative, root;
    long long at_least;
    const struct step *step;
    const int *turn, *first, *slots, (*own)[3], *owns;
    const char *const *hosts;
};
