/* What a rank does with the table: in each period receives are posted first, then sends and merges follow in the order
   of the plan. */

#define SOURCE(value) (-1 - (value))

/* Elements of a message before its piece of this number. */
static long first_of(long count, int piece) { return (long)((long long)count * piece / PIECES); }

static void copy(const void *from, void *to, long count, MPI_Datatype type) {
    PMPI_Sendrecv(from, (int)count, type, 0, 0, to, (int)count, type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

/* Several operations, whose buffers follow one another, with messages of `count` elements each; every rank of `comm`
   calls it. Operation `k` starts in period `k` and runs its steps of stage `s` in period `k + s`, so operations overlap
   as the plan's do. `op` matters where values are combined. Ranks from PARTICIPANTS on only pass on or combine: their
   buffers are not used. */
static int oneport_runs(const void *input, void *recv, int runs, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    MPI_Aint low, extent, true_low, true_extent;
    int rank;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Type_get_extent(type, &low, &extent);
    PMPI_Type_get_true_extent(type, &true_low, &true_extent);
    size_t all = (size_t)runs * STEPS, sends = 0;
    char **place = calloc(all + 1, sizeof *place);
    void **owned = calloc(all + 1, sizeof *owned);
    MPI_Request *arrives = malloc((all + 1) * sizeof *arrives), *sent = malloc((all + 1) * sizeof *sent);
    if (!place || !owned || !arrives || !sent) PMPI_Abort(comm, 1);
    for (size_t at = 0; at < all; at++) arrives[at] = MPI_REQUEST_NULL;
    for (int run = 0; run < runs && own[rank][0] >= 0; run++) {
        MPI_Aint from = (MPI_Aint)run * INPUT_BLOCKS + own[rank][0], to = (MPI_Aint)run * OUTPUT_BLOCKS + own[rank][1];
        copy((const char *)input + from * count * extent, (char *)recv + to * count * extent, count, type);
    }
    for (int period = 0; period < runs + DEPTH - 1; period++) {
        for (int turn = 0; turn < STEPS; turn++) {
            const struct step *it = &steps[turns[turn]];
            int run = period - it->stage;
            if (it->to != rank || run < 0 || run >= runs) continue;
            size_t at = (size_t)run * STEPS + turns[turn];
            long first = first_of(count, it->piece), length = first_of(count, it->piece + 1) - first;
            if (it->result >= 0) {
                place[at] = (char *)recv + (((MPI_Aint)run * OUTPUT_BLOCKS + it->result) * count + first) * extent;
            } else {
                owned[at] = malloc((size_t)(length > 0 ? true_extent + (length - 1) * extent : 0) + 1);
                if (!owned[at]) PMPI_Abort(comm, 1);
                place[at] = (char *)owned[at] - true_low;
            }
            if (it->right == NONE)
                PMPI_Irecv(place[at], (int)length, type, it->from, turns[turn] % 32768, comm, &arrives[at]);
        }
        for (int turn = 0; turn < STEPS; turn++) {
            const struct step *it = &steps[turns[turn]];
            int run = period - it->stage;
            if (it->from != rank || run < 0 || run >= runs) continue;
            size_t before = (size_t)run * STEPS;
            long first = first_of(count, it->piece), length = first_of(count, it->piece + 1) - first;
            const char *value[2] = {0, 0};
            int inputs[2] = {it->left, it->right};
            for (int side = 0; side < 2; side++) {
                if (inputs[side] == NONE) continue;
                if (inputs[side] < 0) {
                    MPI_Aint block = (MPI_Aint)run * INPUT_BLOCKS + SOURCE(inputs[side]);
                    value[side] = (const char *)input + (block * count + first) * extent;
                } else {
                    PMPI_Wait(&arrives[before + inputs[side]], MPI_STATUS_IGNORE);
                    value[side] = place[before + inputs[side]];
                }
            }
            if (it->right == NONE) {
                PMPI_Isend(value[0], (int)length, type, it->to, turns[turn] % 32768, comm, &sent[sends++]);
            } else if (length > 0) {
                copy(value[1], place[before + turns[turn]], length, type);
                PMPI_Reduce_local(value[0], place[before + turns[turn]], (int)length, type, op);
            }
        }
    }
    for (size_t at = 0; at < all; at++) PMPI_Wait(&arrives[at], MPI_STATUS_IGNORE);
    for (size_t send = 0; send < sends; send++) PMPI_Wait(&sent[send], MPI_STATUS_IGNORE);
    for (size_t at = 0; at < all; at++) free(owned[at]);
    free(place), free(owned), free(arrives), free(sent);
    return MPI_SUCCESS;
}

/* One operation. */
static int oneport_run(const void *input, void *recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return oneport_runs(input, recv, 1, count, type, op, comm);
}
