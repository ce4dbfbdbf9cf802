/* What a rank does with the table: receives are posted first, then sends and merges follow in the order of the plan. */

#define SOURCE(value) (-1 - (value))

/* Elements of a message before its piece of this number. */
static long first_of(long count, int piece) { return (long)((long long)count * piece / PIECES); }

static void copy(const void *from, void *to, long count, MPI_Datatype type) {
    PMPI_Sendrecv(from, (int)count, type, 0, 0, to, (int)count, type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

/* One operation with messages of `count` elements; every rank of `comm` calls it. `op` matters where values are combined.
   Ranks from PARTICIPANTS on only pass on or combine: their buffers are not used. */
static int oneport_run(const void *input, void *recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    MPI_Aint low, extent, true_low, true_extent;
    int rank;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Type_get_extent(type, &low, &extent);
    PMPI_Type_get_true_extent(type, &true_low, &true_extent);
    char **place = calloc(STEPS + 1, sizeof *place);
    void **owned = calloc(STEPS + 1, sizeof *owned);
    MPI_Request *arrives = malloc((STEPS + 1) * sizeof *arrives), *sent = malloc((STEPS + 1) * sizeof *sent);
    int sends = 0;
    if (!place || !owned || !arrives || !sent) PMPI_Abort(comm, 1);
    for (int step = 0; step < STEPS; step++) {
        const struct step *it = &steps[step];
        long first = first_of(count, it->piece), length = first_of(count, it->piece + 1) - first;
        arrives[step] = MPI_REQUEST_NULL;
        if (it->to != rank) continue;
        if (it->result >= 0) {
            place[step] = (char *)recv + ((MPI_Aint)it->result * count + first) * extent;
        } else {
            owned[step] = malloc((size_t)(length > 0 ? true_extent + (length - 1) * extent : 0) + 1);
            if (!owned[step]) PMPI_Abort(comm, 1);
            place[step] = (char *)owned[step] - true_low;
        }
        if (it->right == NONE)
            PMPI_Irecv(place[step], (int)length, type, it->from, step % 32768, comm, &arrives[step]);
    }
    if (own[rank][0] >= 0) {
        const char *from = (const char *)input + (MPI_Aint)own[rank][0] * count * extent;
        copy(from, (char *)recv + (MPI_Aint)own[rank][1] * count * extent, count, type);
    }
    for (int step = 0; step < STEPS; step++) {
        const struct step *it = &steps[step];
        if (it->from != rank) continue;
        long first = first_of(count, it->piece), length = first_of(count, it->piece + 1) - first;
        const char *value[2] = {0, 0};
        int inputs[2] = {it->left, it->right};
        for (int side = 0; side < 2; side++) {
            if (inputs[side] == NONE) continue;
            if (inputs[side] < 0) {
                value[side] = (const char *)input + ((MPI_Aint)SOURCE(inputs[side]) * count + first) * extent;
            } else {
                PMPI_Wait(&arrives[inputs[side]], MPI_STATUS_IGNORE);
                value[side] = place[inputs[side]];
            }
        }
        if (it->right == NONE) {
            PMPI_Isend(value[0], (int)length, type, it->to, step % 32768, comm, &sent[sends++]);
        } else if (length > 0) {
            copy(value[1], place[step], length, type);
            PMPI_Reduce_local(value[0], place[step], (int)length, type, op);
        }
    }
    for (int step = 0; step < STEPS; step++) PMPI_Wait(&arrives[step], MPI_STATUS_IGNORE);
    for (int send = 0; send < sends; send++) PMPI_Wait(&sent[send], MPI_STATUS_IGNORE);
    for (int step = 0; step < STEPS; step++) free(owned[step]);
    free(place), free(owned), free(arrives), free(sent);
    return MPI_SUCCESS;
}
