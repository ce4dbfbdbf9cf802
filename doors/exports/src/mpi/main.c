/* Several operations, in sequence or overlapping; see oneport_follow. */
static int oneport_runs(const void *input, void *recv, int runs, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return oneport_follow(&plans[0], input, recv, runs, count, type, op, comm, 0);
}

/* One operation. */
static int oneport_run(const void *input, void *recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return oneport_runs(input, recv, 1, count, type, op, comm);
}

/* Compares the operation with the library's. All elements of all ranks differ. */

typedef struct { uint64_t a, b; } pair;

/* Associative, and commutative only if COMMUTATIVE: composition of x -> a x + b. */
static void combine(void *left, void *right, int *length, MPI_Datatype *type) {
    pair *x = left, *y = right;
    (void)type;
    for (int i = 0; i < *length; i++) {
        pair both = {x[i].a * y[i].a, x[i].a * y[i].b + x[i].b};
        if (COMMUTATIVE) both = (pair){x[i].a + y[i].a, x[i].b ^ y[i].b};
        y[i] = both;
    }
}

/* The library's own operation, among the participants. */
static void library(const pair *send, pair *recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    (void)send, (void)recv, (void)count, (void)type, (void)op, (void)comm;
#ifdef COUNTED
    /* Elements to and from every participant, and where they lie. */
    int to[PARTICIPANTS], to_at[PARTICIPANTS], from[PARTICIPANTS], from_at[PARTICIPANTS], rank, sent = 0, got = 0;
    MPI_Comm_rank(comm, &rank);
    for (int peer = 0; peer < PARTICIPANTS; peer++) {
        to_at[peer] = sent, from_at[peer] = got;
        sent += to[peer] = moved[rank][peer] * count;
        got += from[peer] = moved[peer][rank] * count;
    }
    (void)to_at, (void)from_at;
#endif
    LIBRARY;
}

int main(int argc, char **argv) {
    int rank, size, wrong = 0, all = 0;
    int count = argc > 1 ? atoi(argv[1]) : 1000, runs = argc > 2 ? atoi(argv[2]) : 3;
    double ours = 0, theirs = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != RANKS || count < 0 || runs < 1) {
        if (rank == 0) fprintf(stderr, "usage: mpirun -np %d %s [ELEMENTS] [RUNS]\n", RANKS, argv[0]);
        MPI_Finalize();
        return 2;
    }
    MPI_Datatype type;
    MPI_Op op;
    MPI_Comm comm, members;
    MPI_Type_contiguous(2, MPI_UINT64_T, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(combine, COMMUTATIVE, &op);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_split(MPI_COMM_WORLD, rank < PARTICIPANTS ? 0 : MPI_UNDEFINED, rank, &members);
    size_t inputs = (size_t)count * INPUT_BLOCKS, outputs = (size_t)count * OUTPUT_BLOCKS;
    pair *send = calloc(runs * inputs + 1, sizeof *send);
    pair *got = calloc(runs * outputs + 1, sizeof *got), *wanted = calloc(runs * outputs + 1, sizeof *wanted);
    if (!send || !got || !wanted) MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t i = 0; i < runs * inputs; i++) {
        uint64_t x = i * 1000003 + (uint64_t)rank * 7919;
        send[i] = (pair){2 * x + 3, x * x + 1};
        /* A rank without an operand adds nothing. */
        if (COMBINES && !owns_0[rank]) send[i] = COMMUTATIVE ? (pair){0, 0} : (pair){1, 0};
    }
    /* In sequence, then overlapping. */
    for (int run = 0; run < runs; run++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        oneport_run(send + run * inputs, got + run * outputs, count, type, op, comm);
        MPI_Barrier(MPI_COMM_WORLD);
        double middle = MPI_Wtime();
        if (members != MPI_COMM_NULL) library(send + run * inputs, wanted + run * outputs, count, type, op, members);
        MPI_Barrier(MPI_COMM_WORLD);
        ours += middle - start, theirs += MPI_Wtime() - middle;
    }
    if (members != MPI_COMM_NULL) wrong += memcmp(got, wanted, runs * outputs * sizeof *got) != 0;
    memset(got, 0, runs * outputs * sizeof *got);
    MPI_Barrier(MPI_COMM_WORLD);
    double overlapping = -MPI_Wtime();
    oneport_runs(send, got, runs, count, type, op, comm);
    MPI_Barrier(MPI_COMM_WORLD);
    overlapping += MPI_Wtime();
    if (members != MPI_COMM_NULL) wrong += memcmp(got, wanted, runs * outputs * sizeof *got) != 0;
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s: %d runs of %d elements on %d ranks: %s; %.6f s each, overlapping %.6f s, the library's own %.6f s\n",
               COLLECTIVE, runs, count, RANKS, all ? "WRONG" : "equal to the library's own", ours / runs,
               overlapping / runs, theirs / runs);
    free(send), free(got), free(wanted);
    MPI_Comm_free(&comm);
    if (members != MPI_COMM_NULL) MPI_Comm_free(&members);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
    MPI_Finalize();
    return all ? 1 : 0;
}
