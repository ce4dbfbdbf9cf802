/* Follows a plan at one rank: in each period receives are posted first, then sends and merges follow in the order of
   the plan. Between two ranks messages are sent and received in the same order, so one tag is enough. */

#define SOURCE(value) (-1 - (value))

/* Notes the first error. */
#define TRY(call) do { int now_ = (call); if (code == MPI_SUCCESS) code = now_; } while (0)

/* Elements of a message before its piece of this number. */
static inline long first_of(const struct plan *plan, long count, int piece) {
    return (long)((long long)count * piece / plan->pieces);
}

/* A datatype's size, and its bounds: `low` and `extent` as MPI counts them, `from` and `span` of its bytes. */
struct layout { MPI_Count size; MPI_Aint low, extent, from, span; };

static inline int layout_of(MPI_Datatype type, struct layout *it) {
    int code = PMPI_Type_size_x(type, &it->size);
    if (code == MPI_SUCCESS) code = PMPI_Type_get_extent(type, &it->low, &it->extent);
    if (code == MPI_SUCCESS) code = PMPI_Type_get_true_extent(type, &it->from, &it->span);
    return code;
}

/* Whether elements follow one another without gaps. */
static inline int dense(const struct layout *it) { return it->size == it->extent && it->size == it->span; }

/* Bytes from the first to the last of `count` elements. */
static inline size_t span_of(const struct layout *it, long long count) {
    return count > 0 ? (size_t)(it->span + (count - 1) * it->extent) : 0;
}

/* Copies elements within a rank; with gaps between them as a message of the communicator, which leaves them as they are. */
static inline int copy(const void *from, void *to, long count, MPI_Datatype type, const struct layout *it, MPI_Comm comm) {
    int rank, code = MPI_SUCCESS;
    if (from == to || count == 0) return code;
    if (dense(it)) {
        memmove((char *)to + it->from, (const char *)from + it->from, (size_t)(count * it->extent));
        return code;
    }
    TRY(PMPI_Comm_rank(comm, &rank));
    TRY(PMPI_Sendrecv(from, (int)count, type, rank, 0, to, (int)count, type, rank, 0, comm, MPI_STATUS_IGNORE));
    return code;
}

/* Waits for a message, which has to be of this length. */
static inline int arrived(MPI_Request *request, long length, MPI_Datatype type) {
    MPI_Status status;
    int got = 0;
    if (*request == MPI_REQUEST_NULL) return MPI_SUCCESS;
    int code = PMPI_Wait(request, &status);
    TRY(PMPI_Get_count(&status, type, &got));
    return code == MPI_SUCCESS && got != length ? MPI_ERR_TRUNCATE : code;
}

/* Several operations, whose buffers follow one another, with messages of `count` elements each; every rank of `comm`
   calls it. Operation `k` starts in period `k` and runs its steps of stage `s` in period `k + s`, so operations overlap
   as the plan's do. `op` matters where values are combined. Buffers of ranks that take no part are not used. The first
   error is returned; without memory nothing is sent. */
static inline int oneport_follow(const struct plan *plan, const void *input, void *recv, int runs, int count,
                                 MPI_Datatype type, MPI_Op op, MPI_Comm comm, int tag) {
    struct layout it;
    int rank, code = layout_of(type, &it);
    TRY(PMPI_Comm_rank(comm, &rank));
    if (code != MPI_SUCCESS) return code;
    /* A rank walks its own steps only: short messages take hardly longer than they take to send. */
    const int *turns = plan->turn + plan->first[rank], *end = plan->turn + plan->first[rank + 1];
    size_t slots = plan->slots[rank], all = runs * slots, most = (size_t)runs * (end - turns), sends = 0, used = 0;
    for (const int *turn = turns; turn < end; turn++) {
        const struct step *step = &plan->step[*turn];
        if (step->to != rank || step->result >= 0) continue;
        long length = first_of(plan, count, step->piece + 1) - first_of(plan, count, step->piece);
        used += runs * ((span_of(&it, length) + 15) / 16 * 16);
    }
    char *room = malloc(used + 1), *next = room;
    char **place = calloc(all + 1, sizeof *place);
    MPI_Request *arrives = malloc((all + 1) * sizeof *arrives), *sent = malloc((most + 1) * sizeof *sent);
    if (!room || !place || !arrives || !sent) {
        free(room), free(place), free(arrives), free(sent);
        return MPI_ERR_NO_MEM;
    }
    for (size_t at = 0; at < all; at++) arrives[at] = MPI_REQUEST_NULL;
    for (int run = 0; run < runs && plan->own[rank][0] >= 0; run++) {
        MPI_Aint from = (MPI_Aint)run * plan->input_blocks + plan->own[rank][0];
        MPI_Aint to = (MPI_Aint)run * plan->output_blocks + plan->own[rank][1];
        TRY(copy((const char *)input + from * count * it.extent, (char *)recv + to * count * it.extent,
                 (long)count * plan->own[rank][2], type, &it, comm));
    }
    for (int period = 0; period < runs + plan->depth - 1; period++) {
        for (const int *turn = turns; turn < end; turn++) {
            const struct step *step = &plan->step[*turn];
            int run = period - step->stage;
            if (step->to != rank || run < 0 || run >= runs) continue;
            size_t at = run * slots + step->slot;
            long first = first_of(plan, count, step->piece), length = first_of(plan, count, step->piece + 1) - first;
            if (step->result >= 0) {
                place[at] = (char *)recv + (((MPI_Aint)run * plan->output_blocks + step->result) * count + first) * it.extent;
            } else {
                place[at] = next - it.from;
                next += (span_of(&it, length) + 15) / 16 * 16;
            }
            if (step->right == NONE) TRY(PMPI_Irecv(place[at], (int)length, type, step->from, tag, comm, &arrives[at]));
        }
        for (const int *turn = turns; turn < end; turn++) {
            const struct step *step = &plan->step[*turn];
            int run = period - step->stage;
            if (step->from != rank || run < 0 || run >= runs) continue;
            size_t before = run * slots;
            long first = first_of(plan, count, step->piece), length = first_of(plan, count, step->piece + 1) - first;
            const char *value[2] = {0, 0};
            int inputs[2] = {step->left, step->right};
            for (int side = 0; side < 2; side++) {
                if (inputs[side] == NONE) continue;
                if (inputs[side] < 0) {
                    MPI_Aint block = (MPI_Aint)run * plan->input_blocks + SOURCE(inputs[side]);
                    value[side] = (const char *)input + (block * count + first) * it.extent;
                } else {
                    TRY(arrived(&arrives[before + inputs[side]], length, type));
                    value[side] = place[before + inputs[side]];
                }
            }
            if (step->right == NONE) {
                TRY(PMPI_Isend(value[0], (int)length, type, step->to, tag, comm, &sent[sends++]));
            } else if (length > 0) {
                char *target = place[before + step->slot];
                TRY(copy(value[1], target, length, type, &it, comm));
                TRY(PMPI_Reduce_local(value[0], target, (int)length, type, op));
            }
        }
    }
    for (const int *turn = turns; turn < end; turn++) {
        const struct step *step = &plan->step[*turn];
        long length = first_of(plan, count, step->piece + 1) - first_of(plan, count, step->piece);
        for (int run = 0; step->to == rank && run < runs; run++)
            TRY(arrived(&arrives[run * slots + step->slot], length, type));
    }
    for (size_t send = 0; send < sends; send++) TRY(PMPI_Wait(&sent[send], MPI_STATUS_IGNORE));
    free(room), free(place), free(arrives), free(sent);
    return code;
}
