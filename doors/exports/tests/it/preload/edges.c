/* Calls that are valid though rare, and calls that MPI refuses: rank 0 prints what came of each. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, handled, copies, deletes, without_null;

/* The sum over the ranks of what each saw, without a call that is served. */
static void say(const char *what, long mine) {
    long all = 0;
    PMPI_Reduce(&mine, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%s: %ld\n", what, all), fflush(stdout);
}

static int class_of(int code) {
    int class = -1;
    MPI_Error_class(code, &class);
    return class;
}

static long hash(const void *data, size_t bytes) {
    unsigned long sum = 14695981039346656037ul;
    for (size_t i = 0; i < bytes; i++) sum = (sum ^ ((const unsigned char *)data)[i]) * 1099511628211ul;
    return (long)(sum >> 24);
}

static int copied(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag) {
    (void)comm, (void)key, (void)extra;
    copies++, *(void **)out = in, *flag = 1;
    return MPI_SUCCESS;
}

static int deleted(MPI_Comm comm, int key, void *value, void *extra) {
    (void)comm, (void)key, (void)value, (void)extra;
    deletes++;
    return MPI_SUCCESS;
}

static void handle(MPI_Comm *comm, int *code, ...) { (void)comm, (void)code, handled++; }

/* Adds what stands in the first and third place of four. */
static void strided(void *left, void *right, int *length, MPI_Datatype *type) {
    int *x = left, *y = right;
    (void)type;
    for (int i = 0; i < *length; i++) y[4 * i] += x[4 * i], y[4 * i + 2] += x[4 * i + 2];
}

static long sum_of(MPI_Comm comm) {
    int one = rank + 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    return sum;
}

static void attributes(void) {
    int key;
    MPI_Comm twin;
    MPI_Comm_create_keyval(copied, deleted, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &key);
    say("sum with an attribute", sum_of(MPI_COMM_WORLD));
    say("copies", copies);
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    say("copies after a duplicate", copies);
    say("sum of a duplicate", sum_of(twin));
    MPI_Comm_free(&twin);
    say("deletes", deletes);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Comm_free_keyval(&key);
}

static void pending(void) {
    int got = 0, gift = 42 + rank, flag, sums = 0, world = -1;
    MPI_Request self, any;
    MPI_Status status;
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &self);
    MPI_Irecv(&world, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &any);
    for (int i = 0; i < 20; i++) sums += (int)sum_of(MPI_COMM_WORLD);
    MPI_Test(&self, &flag, &status);
    say("sums beside pending receives", sums);
    say("receives that took another's message", flag);
    MPI_Send(&gift, 1, MPI_INT, 0, 3, MPI_COMM_SELF);
    MPI_Wait(&self, &status);
    MPI_Send(&gift, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD);
    MPI_Wait(&any, MPI_STATUS_IGNORE);
    say("gifts", got + world + status.MPI_TAG);
}

/* Every collective with one thing wrong. */
static void refused(MPI_Comm comm, const char *how) {
    enum { CASES = 8 };
    static const char *names[CASES] = {"negative", "no type", "uncommitted", "no operator", "bits of floats", "root", "null",
                                       "aliased"};
    MPI_Datatype raw;
    int *in = calloc(64 * size, sizeof *in), *out = calloc(64 * size, sizeof *out);
    MPI_Type_contiguous(2, MPI_INT, &raw);
    for (int wrong = 0; wrong < CASES; wrong++) {
        if (wrong == 1 && without_null) continue;
        int count = wrong == 0 ? -1 : 4, root = wrong == 5 ? size : 0, classes[9], before = handled;
        MPI_Datatype type = wrong == 1 ? MPI_DATATYPE_NULL : wrong == 2 ? raw : wrong == 4 ? MPI_FLOAT : MPI_INT;
        MPI_Op op = wrong == 3 ? MPI_OP_NULL : wrong == 4 ? MPI_BAND : MPI_SUM;
        MPI_Comm used = wrong == 6 ? MPI_COMM_NULL : comm;
        void *other = wrong == 7 ? in : out;
        memset(classes, 0, sizeof classes);
        /* Open MPI 4.1 ends at a null communicator of MPI_Allgather. */
        if (wrong == 6) classes[0] = class_of(MPI_Bcast(in, count, type, root, used));
        if (wrong < 3 || wrong == 5) {
            classes[0] = class_of(MPI_Bcast(in, count, type, root, used));
            classes[1] = class_of(MPI_Scatter(in, count, type, out, count, type, root, used));
            classes[2] = class_of(MPI_Gather(in, count, type, out, count, type, root, used));
            classes[3] = class_of(MPI_Allgather(in, count, type, out, count, type, used));
            classes[4] = class_of(MPI_Alltoall(in, count, type, out, count, type, used));
        } else if (wrong == 7) {
            classes[4] = class_of(MPI_Alltoall(in, count, type, other, count, type, used));
        }
        /* Nor does MPICH 4.0 look for negative counts of reductions. */
        if (wrong > 0 && wrong < 6) classes[5] = class_of(MPI_Reduce(in, other, count, type, op, root, used));
        if (wrong > 0 && wrong != 5) {
            if (wrong < 6) classes[6] = class_of(MPI_Reduce_scatter_block(in, other, count, type, op, used));
            classes[7] = class_of(MPI_Allreduce(in, other, count, type, op, used));
            if (wrong < 6) classes[8] = class_of(MPI_Scan(in, other, count, type, op, used));
        }
        if (rank == 0) {
            printf("%s, %s:", how, names[wrong]);
            for (int i = 0; i < 9; i++) printf(" %d", classes[i]);
            printf(", handled %d\n", handled - before);
        }
    }
    say("sum after errors", sum_of(comm));
    MPI_Type_free(&raw);
    free(in), free(out);
}

static void types(void) {
    int in[80], out[80], block[4] = {1, 1, 1, 1};
    MPI_Datatype two, wide, gap, addressed, inside;
    MPI_Aint at[2];
    MPI_Op op;
    for (int i = 0; i < 80; i++) in[i] = 100 * rank + i, out[i] = -i;
    MPI_Type_vector(2, 1, 2, MPI_INT, &inside);
    MPI_Type_create_resized(inside, 0, 4 * sizeof(int), &two);
    MPI_Type_commit(&two);
    MPI_Op_create(strided, 1, &op);
    MPI_Allreduce(in, out, 7, two, op, MPI_COMM_WORLD);
    say("sum of a datatype with gaps", hash(out, sizeof out));
    MPI_Allreduce(MPI_IN_PLACE, out, 7, two, op, MPI_COMM_WORLD);
    say("in place", hash(out, sizeof out));
    MPI_Type_create_resized(inside, 0, 6 * sizeof(int), &wide);
    MPI_Type_commit(&wide);
    MPI_Allreduce(in, out, 1, wide, op, MPI_COMM_WORLD);
    say("sum of a wide datatype", hash(out, sizeof out));
    struct { double value; int place; } pair = {rank % 3, rank}, best = {-1, -1}, pairs[16], most[16];
    MPI_Allreduce(&pair, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    say("place of the largest", best.place + 10 * (int)best.value);
    for (int i = 0; i < 16; i++) pairs[i].value = (rank * 7 + i) % 5, pairs[i].place = rank;
    MPI_Allreduce(pairs, most, 16, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
    for (int i = 0; i < 16; i++) in[i] = most[i].place + 100 * (int)most[i].value;
    say("places of the smallest", hash(in, 16 * sizeof *in));
    MPI_Get_address(&in[3], &at[0]);
    MPI_Get_address(&out[9], &at[1]);
    MPI_Type_create_hindexed(2, block, at, MPI_INT, &addressed);
    MPI_Type_commit(&addressed);
    in[3] = rank == 1 ? 17 : 0, out[9] = rank == 1 ? 19 : 0;
    for (int root = 0; root < size; root++) MPI_Bcast(MPI_BOTTOM, 1, addressed, root == 0 ? 1 % size : root, MPI_COMM_WORLD);
    say("from addresses", in[3] * 100 + out[9]);
    /* A root's datatype may differ from the others'. */
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &gap);
    MPI_Type_commit(&gap);
    for (int root = 0; root < size; root++) {
        if (rank == root) MPI_Bcast(in, 12, gap, root, MPI_COMM_WORLD);
        else MPI_Bcast(out, 12, MPI_INT, root, MPI_COMM_WORLD);
    }
    say("from every second", hash(out, sizeof out));
    MPI_Type_free(&gap), MPI_Type_free(&addressed), MPI_Type_free(&wide), MPI_Type_free(&two);
    MPI_Type_free(&inside);
    MPI_Op_free(&op);
}

static void communicators(void) {
    enum { MANY = 270, ROUNDS = 30 };
    MPI_Comm reversed, half, between, many[MANY];
    long sum = 0;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    say("sum of reversed ranks", sum_of(reversed));
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 9, &between);
    say("sum of the other half", sum_of(between));
    for (int i = 0; i < MANY; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &many[i]);
        sum += sum_of(many[i]);
    }
    for (int i = MANY - 1; i >= 0; i--) sum += sum_of(many[i]);
    for (int i = 0; i < MANY; i++) MPI_Comm_free(&many[(7 * i + 3) % MANY]);
    say("sum of many communicators", sum);
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &many[0]);
        if (i % 10 == 0) sum += sum_of(many[0]);
        MPI_Comm_free(&many[0]);
    }
    say("sum of communicators that were freed", sum);
    MPI_Comm_free(&between), MPI_Comm_free(&half), MPI_Comm_free(&reversed);
}

static void others(void) {
    int in[64], out[64], counts[16], all = 0;
    for (int i = 0; i < 64; i++) in[i] = rank * 64 + i, out[i] = 0;
    for (int i = 0; i < size; i++) counts[i] = 3;
    MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    say("equal counts", hash(out, 3 * sizeof *out));
    MPI_Reduce_scatter(MPI_IN_PLACE, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    say("equal counts in place", hash(in, 3 * sizeof *in));
    for (int i = 0; i < size; i++) counts[i] = i % 3, all += counts[i];
    MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    say("counts that differ", hash(out, counts[rank] * sizeof *out) + all);
    MPI_Allreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(NULL, 0, MPI_INT, 0, MPI_COMM_WORLD);
    double values[999], total[999], again[999];
    for (int i = 0; i < 999; i++) values[i] = 1.0 / (1 + i + rank) * (i % 3 ? 1 : 1e16);
    MPI_Allreduce(values, total, 999, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    memcpy(again, total, sizeof again);
    PMPI_Bcast(again, 999, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    say("ranks with other bits", memcmp(again, total, sizeof again) != 0);
}

int main(int argc, char **argv) {
    MPI_Errhandler counting;
    MPI_Comm twin;
    without_null = argc > 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    refused(MPI_COMM_WORLD, "first calls");
    attributes();
    pending();
    types();
    communicators();
    others();
    refused(MPI_COMM_WORLD, "later calls");
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Comm_create_errhandler(handle, &counting);
    MPI_Comm_set_errhandler(twin, counting);
    refused(twin, "own handler");
    MPI_Errhandler_free(&counting);
    MPI_Comm_free(&twin);
    MPI_Finalize();
    return 0;
}
