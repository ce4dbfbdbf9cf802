/* The names of the calls in C, with counts of either size; and in Fortran if its calls do not lead to the C calls. */

#define CALL(name, types, values) \
    int MPI_##name types { int code = serve_##name values; return code == UNSERVED ? PMPI_##name values : code; }

#define MOVES(C) (const void *send, C sends, MPI_Datatype send_type, void *recv, C receives, MPI_Datatype recv_type, \
                  MPI_Comm comm)
#define ROOTED_MOVES(C) (const void *send, C sends, MPI_Datatype send_type, void *recv, C receives, \
                         MPI_Datatype recv_type, int root, MPI_Comm comm)
#define REDUCES(C) (const void *send, void *recv, C count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
#define MOVED (send, sends, send_type, recv, receives, recv_type, comm)
#define ROOTED_MOVED (send, sends, send_type, recv, receives, recv_type, root, comm)
#define REDUCED (send, recv, count, type, op, comm)

/* MPI_Reduce_scatter is MPI_Reduce_scatter_block where the counts are equal. */
#define SERVE_EQUAL(suffix, C) \
    static inline int serve_Reduce_scatter##suffix(const void *send, void *recv, const C *counts, MPI_Datatype type, MPI_Op op, \
                                                   MPI_Comm comm) { \
        struct call call = {.kind = REDUCE_SCATTER, .comm = comm}; \
        if (!opened(&call)) return UNSERVED; \
        if (!counts) return pass(call.kind, REFUSED), UNSERVED; \
        for (int rank = 1; rank < call.size; rank++) \
            if (counts[rank] != counts[0]) return pass(call.kind, UNEQUAL), UNSERVED; \
        if (call.twin) call.twin->calls--; \
        return serve_Reduce_scatter_block(send, recv, counts[0], type, op, comm); \
    }

#if MPI_VERSION >= 4
#define serve_Bcast_c serve_Bcast
#define serve_Scatter_c serve_Scatter
#define serve_Gather_c serve_Gather
#define serve_Allgather_c serve_Allgather
#define serve_Alltoall_c serve_Alltoall
#define serve_Reduce_c serve_Reduce
#define serve_Reduce_scatter_block_c serve_Reduce_scatter_block
#define serve_Allreduce_c serve_Allreduce
#define serve_Scan_c serve_Scan
#define BOTH(name, types, values) CALL(name, types(int), values) CALL(name##_c, types(MPI_Count), values)
#else
#define BOTH(name, types, values) CALL(name, types(int), values)
#endif

#ifdef HAS_BROADCAST
#define BCASTS(C) (void *data, C count, MPI_Datatype type, int root, MPI_Comm comm)
BOTH(Bcast, BCASTS, (data, count, type, root, comm))
#endif
#ifdef HAS_SCATTER
BOTH(Scatter, ROOTED_MOVES, ROOTED_MOVED)
#endif
#ifdef HAS_GATHER
BOTH(Gather, ROOTED_MOVES, ROOTED_MOVED)
#endif
#ifdef HAS_ALL_GATHER
BOTH(Allgather, MOVES, MOVED)
#endif
#ifdef HAS_ALL_TO_ALL
BOTH(Alltoall, MOVES, MOVED)
#endif
#ifdef HAS_REDUCE
#define ROOTED_REDUCES(C) (const void *send, void *recv, C count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
BOTH(Reduce, ROOTED_REDUCES, (send, recv, count, type, op, root, comm))
#endif
#ifdef HAS_REDUCE_SCATTER
#define SCATTERED(C) (const void *send, void *recv, const C counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm)
BOTH(Reduce_scatter_block, REDUCES, REDUCED)
SERVE_EQUAL(, int)
#if MPI_VERSION >= 4
SERVE_EQUAL(_c, MPI_Count)
#endif
BOTH(Reduce_scatter, SCATTERED, (send, recv, counts, type, op, comm))
#endif
#ifdef HAS_ALL_REDUCE
BOTH(Allreduce, REDUCES, REDUCED)
#endif
#ifdef HAS_SCAN
BOTH(Scan, REDUCES, REDUCED)
#endif

/* The reports of libraries without a call of the program. */
int MPI_Finalize(void) {
    int ready = 0;
    PMPI_Initialized(&ready);
    if (ready && getenv("ONEPORT_REPORT"))
        for (struct library *library = oneport_libraries; library; library = library->next) library->prepare();
    return PMPI_Finalize();
}

#ifdef OPEN_MPI
/* Open MPI's Fortran calls the profiling names of C. Its mpif.h and modules mpi and mpi_f08 pass addresses alike. */

extern int mpi_fortran_in_place_ __attribute__((weak)), mpi_fortran_bottom_ __attribute__((weak));

#define FORTRAN(lower, upper, types, call) \
    void mpi_##lower##_ types { int code = call; if (error) *error = (MPI_Fint)code; } \
    void mpi_##lower types __attribute__((alias("mpi_" #lower "_"))); \
    void mpi_##lower##__ types __attribute__((alias("mpi_" #lower "_"))); \
    void mpi_##lower##_f08_ types __attribute__((alias("mpi_" #lower "_"))); \
    void MPI_##upper types __attribute__((alias("mpi_" #lower "_")));

#define F_MOVES (char *send, MPI_Fint *sends, MPI_Fint *send_type, char *recv, MPI_Fint *receives, MPI_Fint *recv_type, \
                 MPI_Fint *comm, MPI_Fint *error)
#define F_ROOTED_MOVES (char *send, MPI_Fint *sends, MPI_Fint *send_type, char *recv, MPI_Fint *receives, \
                        MPI_Fint *recv_type, MPI_Fint *root, MPI_Fint *comm, MPI_Fint *error)
#define F_REDUCES (char *send, char *recv, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op, MPI_Fint *comm, MPI_Fint *error)
#define F_MOVED here(send), (int)*sends, PMPI_Type_f2c(*send_type), here(recv), (int)*receives, PMPI_Type_f2c(*recv_type)
#define F_REDUCED PMPI_Type_f2c(*type), PMPI_Op_f2c(*op)

/* An address of Fortran, or a constant of MPI that an address represents. */
static inline void *here(void *address) {
    void *in_place = &mpi_fortran_in_place_, *bottom = &mpi_fortran_bottom_;
    return in_place && address == in_place ? MPI_IN_PLACE : bottom && address == bottom ? MPI_BOTTOM : address;
}

#ifdef HAS_BROADCAST
FORTRAN(bcast, BCAST, (char *data, MPI_Fint *count, MPI_Fint *type, MPI_Fint *root, MPI_Fint *comm, MPI_Fint *error),
        MPI_Bcast(here(data), (int)*count, PMPI_Type_f2c(*type), (int)*root, PMPI_Comm_f2c(*comm)))
#endif
#ifdef HAS_SCATTER
FORTRAN(scatter, SCATTER, F_ROOTED_MOVES, MPI_Scatter(F_MOVED, (int)*root, PMPI_Comm_f2c(*comm)))
#endif
#ifdef HAS_GATHER
FORTRAN(gather, GATHER, F_ROOTED_MOVES, MPI_Gather(F_MOVED, (int)*root, PMPI_Comm_f2c(*comm)))
#endif
#ifdef HAS_ALL_GATHER
FORTRAN(allgather, ALLGATHER, F_MOVES, MPI_Allgather(F_MOVED, PMPI_Comm_f2c(*comm)))
#endif
#ifdef HAS_ALL_TO_ALL
FORTRAN(alltoall, ALLTOALL, F_MOVES, MPI_Alltoall(F_MOVED, PMPI_Comm_f2c(*comm)))
#endif
#ifdef HAS_REDUCE
FORTRAN(reduce, REDUCE, (char *send, char *recv, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op, MPI_Fint *root, MPI_Fint *comm,
                         MPI_Fint *error),
        MPI_Reduce(here(send), here(recv), (int)*count, F_REDUCED, (int)*root, PMPI_Comm_f2c(*comm)))
#endif
#ifdef HAS_REDUCE_SCATTER
FORTRAN(reduce_scatter_block, REDUCE_SCATTER_BLOCK, F_REDUCES,
        MPI_Reduce_scatter_block(here(send), here(recv), (int)*count, F_REDUCED, PMPI_Comm_f2c(*comm)))

/* Converts counts of Fortran to counts of C. */
static inline int scattered(char *send, char *recv, MPI_Fint *counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    int size = 0;
    if (sizeof *counts == sizeof(int)) return MPI_Reduce_scatter(here(send), here(recv), (int *)counts, type, op, comm);
    if (comm != MPI_COMM_NULL) PMPI_Comm_size(comm, &size);
    int *all = malloc(((size_t)size + 1) * sizeof *all);
    for (int rank = 0; all && rank < size; rank++) all[rank] = (int)counts[rank];
    int code = MPI_Reduce_scatter(here(send), here(recv), all, type, op, comm);
    free(all);
    return code;
}
FORTRAN(reduce_scatter, REDUCE_SCATTER, F_REDUCES, scattered(send, recv, count, F_REDUCED, PMPI_Comm_f2c(*comm)))
#endif
#ifdef HAS_ALL_REDUCE
FORTRAN(allreduce, ALLREDUCE, F_REDUCES, MPI_Allreduce(here(send), here(recv), (int)*count, F_REDUCED, PMPI_Comm_f2c(*comm)))
#endif
#ifdef HAS_SCAN
FORTRAN(scan, SCAN, F_REDUCES, MPI_Scan(here(send), here(recv), (int)*count, F_REDUCED, PMPI_Comm_f2c(*comm)))
#endif
FORTRAN(finalize, FINALIZE, (MPI_Fint *error), MPI_Finalize())
#endif
