/* The library's call of this name, served by the plan where the plan is for it, and by the library everywhere else.

   All ranks decide alike: by the communicator, the operator, the root, and MPI_IN_PLACE where all give it. Messages of any
   datatype are moved as bytes; values are combined in their own type, which MPI requires to be the same at all ranks. */

static MPI_Comm plan_comm = MPI_COMM_NULL;
static int warned;
static long served;

static inline int warn(MPI_Comm comm, const char *why) {
    int rank, started = 0;
    PMPI_Initialized(&started);
    if (started && !warned++) {
        PMPI_Comm_rank(comm, &rank);
        if (rank == 0) fprintf(stderr, "oneport: %s: %s; handed to the library\n", COLLECTIVE, why);
    }
    return 0;
}

/* Whether the plan is for this communicator, root and operator. */
static inline int serves(MPI_Comm comm, int root, MPI_Op op) {
    int size, inter, same, commutes = 1;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter) return warn(comm, "an intercommunicator");
    PMPI_Comm_size(comm, &size);
    if (size != RANKS) return warn(comm, "the plan is for " TEXT(RANKS) " ranks, and the communicator has others");
    PMPI_Comm_compare(comm, MPI_COMM_WORLD, &same);
    if (same != MPI_IDENT && same != MPI_CONGRUENT) return warn(comm, "the communicator is not like MPI_COMM_WORLD");
    if (root >= 0 && root != ROOT) return warn(comm, "the plan's root is rank " TEXT(ROOT));
    if (RANKS != PARTICIPANTS) return warn(comm, "the plan has ranks that take no part");
    if (COMBINES) {
        for (int rank = 0; rank < RANKS; rank++)
            if (!owns[rank]) return warn(comm, "a rank owns no operand");
        PMPI_Op_commutative(op, &commutes);
        if (COMMUTATIVE && !commutes) return warn(comm, "the plan combines in any order, and the operator does not commute");
    }
    if (plan_comm == MPI_COMM_NULL && PMPI_Comm_dup(MPI_COMM_WORLD, &plan_comm) != MPI_SUCCESS) return 0;
    served++;
    return 1;
}

static inline long long bytes_of(int count, MPI_Datatype type) {
    int size;
    PMPI_Type_size(type, &size);
    return (long long)count * size;
}

/* Whether a message is too long to be counted in an int; all ranks see the same. */
static inline int too_long(MPI_Comm comm, long long bytes) {
    return bytes > INT32_MAX && !warn(comm, "messages of 2^31 bytes or more");
}

/* Several blocks of a datatype as bytes, and back. */
static inline char *packed(const void *from, int blocks, int count, MPI_Datatype type, long long bytes) {
    char *to = malloc((size_t)(blocks * bytes) + 1);
    MPI_Aint low, extent;
    PMPI_Type_get_extent(type, &low, &extent);
    if (!to) PMPI_Abort(MPI_COMM_WORLD, 1);
    for (int block = 0; block < blocks; block++) {
        int position = 0;
        PMPI_Pack((const char *)from + (MPI_Aint)block * count * extent, count, type, to + block * bytes, (int)bytes,
                  &position, MPI_COMM_SELF);
    }
    return to;
}

static inline void unpack(const char *from, void *to, int blocks, int count, MPI_Datatype type, long long bytes) {
    MPI_Aint low, extent;
    PMPI_Type_get_extent(type, &low, &extent);
    for (int block = 0; block < blocks; block++) {
        int position = 0;
        PMPI_Unpack(from + block * bytes, (int)bytes, &position, (char *)to + (MPI_Aint)block * count * extent, count,
                    type, MPI_COMM_SELF);
    }
}

/* Messages without an operator. What is given or wanted nowhere at this rank has no blocks. */
static inline int moved(const void *send, int send_blocks, int sends, MPI_Datatype send_type, void *recv, int recv_blocks,
                 int receives, MPI_Datatype recv_type, long long bytes) {
    char *in = send_blocks ? packed(send, send_blocks, sends, send_type, bytes) : NULL;
    char *out = calloc((size_t)(OUTPUT_BLOCKS * bytes) + 1, 1);
    if (!out) PMPI_Abort(MPI_COMM_WORLD, 1);
    int code = oneport_run(in, out, (int)bytes, MPI_BYTE, MPI_OP_NULL, plan_comm);
    if (recv_blocks) unpack(out, recv, recv_blocks, receives, recv_type, bytes);
    free(in), free(out);
    return code;
}

/* Values that are combined; an input in place is copied, for the output is written early. */
static inline int reduced(const void *send, void *recv, int blocks, int count, MPI_Datatype type, MPI_Op op) {
    if (send != MPI_IN_PLACE) return oneport_run(send, recv, count, type, op, plan_comm);
    MPI_Aint low, extent, true_low, true_extent;
    PMPI_Type_get_extent(type, &low, &extent);
    PMPI_Type_get_true_extent(type, &true_low, &true_extent);
    long long all = (long long)blocks * count;
    char *own_copy = malloc((size_t)(all > 0 ? true_extent + (all - 1) * extent : 0) + 1);
    if (!own_copy) PMPI_Abort(MPI_COMM_WORLD, 1);
    for (int block = 0; block < blocks; block++) {
        MPI_Aint at = (MPI_Aint)block * count * extent;
        copy((char *)recv + at, own_copy - true_low + at, count, type);
    }
    int code = oneport_run(own_copy - true_low, recv, count, type, op, plan_comm);
    free(own_copy);
    return code;
}

static inline int my_rank(void) {
    int rank;
    PMPI_Comm_rank(plan_comm, &rank);
    return rank;
}

/* With ONEPORT_REPORT in the environment, rank 0 says how many calls the plan has served. */
int MPI_Finalize(void) {
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 && getenv("ONEPORT_REPORT")) fprintf(stderr, "oneport: %s: %ld calls served\n", COLLECTIVE, served);
    if (plan_comm != MPI_COMM_NULL) PMPI_Comm_free(&plan_comm);
    return PMPI_Finalize();
}

#if defined(IS_broadcast)
int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    long long bytes = bytes_of(count, type);
    if (!serves(comm, root, MPI_OP_NULL) || too_long(comm, bytes)) return PMPI_Bcast(data, count, type, root, comm);
    int is_root = my_rank() == ROOT;
    return moved(data, is_root, count, type, data, !is_root, count, type, bytes);
}
#elif defined(IS_scatter)
int MPI_Scatter(const void *send, int sends, MPI_Datatype send_type, void *recv, int receives, MPI_Datatype recv_type,
                int root, MPI_Comm comm) {
    int rank;
    PMPI_Comm_rank(comm, &rank);
    long long bytes = rank == root ? bytes_of(sends, send_type) : bytes_of(receives, recv_type);
    if (!serves(comm, root, MPI_OP_NULL) || too_long(comm, bytes))
        return PMPI_Scatter(send, sends, send_type, recv, receives, recv_type, root, comm);
    return moved(send, rank == ROOT ? RANKS : 0, sends, send_type, recv, recv != MPI_IN_PLACE, receives, recv_type, bytes);
}
#elif defined(IS_gather)
int MPI_Gather(const void *send, int sends, MPI_Datatype send_type, void *recv, int receives, MPI_Datatype recv_type,
               int root, MPI_Comm comm) {
    int rank;
    PMPI_Comm_rank(comm, &rank);
    long long bytes = rank == root ? bytes_of(receives, recv_type) : bytes_of(sends, send_type);
    if (!serves(comm, root, MPI_OP_NULL) || too_long(comm, bytes))
        return PMPI_Gather(send, sends, send_type, recv, receives, recv_type, root, comm);
    MPI_Aint low, extent = 0;
    if (rank == ROOT) PMPI_Type_get_extent(recv_type, &low, &extent);
    if (send == MPI_IN_PLACE)
        send = (char *)recv + (MPI_Aint)rank * receives * extent, sends = receives, send_type = recv_type;
    return moved(send, 1, sends, send_type, recv, rank == ROOT ? RANKS : 0, receives, recv_type, bytes);
}
#elif defined(IS_all_gather)
int MPI_Allgather(const void *send, int sends, MPI_Datatype send_type, void *recv, int receives, MPI_Datatype recv_type,
                  MPI_Comm comm) {
    long long bytes = bytes_of(receives, recv_type);
    if (!serves(comm, -1, MPI_OP_NULL) || too_long(comm, bytes))
        return PMPI_Allgather(send, sends, send_type, recv, receives, recv_type, comm);
    MPI_Aint low, extent;
    PMPI_Type_get_extent(recv_type, &low, &extent);
    if (send == MPI_IN_PLACE)
        send = (char *)recv + (MPI_Aint)my_rank() * receives * extent, sends = receives, send_type = recv_type;
    return moved(send, 1, sends, send_type, recv, RANKS, receives, recv_type, bytes);
}
#elif defined(IS_all_to_all)
int MPI_Alltoall(const void *send, int sends, MPI_Datatype send_type, void *recv, int receives, MPI_Datatype recv_type,
                 MPI_Comm comm) {
    long long bytes = bytes_of(receives, recv_type);
    if (!serves(comm, -1, MPI_OP_NULL) || too_long(comm, bytes))
        return PMPI_Alltoall(send, sends, send_type, recv, receives, recv_type, comm);
    if (send == MPI_IN_PLACE) send = recv, sends = receives, send_type = recv_type;
    return moved(send, RANKS, sends, send_type, recv, RANKS, receives, recv_type, bytes);
}
#elif defined(IS_reduce)
int MPI_Reduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
    if (!serves(comm, root, op)) return PMPI_Reduce(send, recv, count, type, op, root, comm);
    return reduced(send, recv, 1, count, type, op);
}
#elif defined(IS_reduce_scatter)
int MPI_Reduce_scatter_block(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    if (!serves(comm, -1, op)) return PMPI_Reduce_scatter_block(send, recv, count, type, op, comm);
    return reduced(send, recv, RANKS, count, type, op);
}
#elif defined(IS_all_reduce)
int MPI_Allreduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    if (!serves(comm, -1, op)) return PMPI_Allreduce(send, recv, count, type, op, comm);
    return reduced(send, recv, 1, count, type, op);
}
#elif defined(IS_scan)
int MPI_Scan(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    if (!serves(comm, -1, op)) return PMPI_Scan(send, recv, count, type, op, comm);
    return reduced(send, recv, 1, count, type, op);
}
#endif
