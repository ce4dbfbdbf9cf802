#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t sum;

static void look(const void *data, size_t bytes) {
    const unsigned char *at = data;
    for (size_t i = 0; i < bytes; i++) sum = (sum ^ at[i]) * 1099511628211u;
}

/* Associative, not commutative: the first of two different values, with their number. */
static void first(void *left, void *right, int *length, MPI_Datatype *type) {
    int *x = left, *y = right;
    (void)type;
    for (int i = 0; i < *length; i++) y[i] = x[i] / 1000 * 1000 + (x[i] + y[i]) % 1000;
}

enum { MOST = 40 };

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm half, world;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_dup(MPI_COMM_WORLD, &world);
    MPI_Datatype strided;
    MPI_Type_vector(3, 1, 2, MPI_INT, &strided);
    MPI_Type_commit(&strided);
    MPI_Op op;
    MPI_Op_create(first, 0, &op);
    MPI_Comm comms[3] = {MPI_COMM_WORLD, world, half};
    for (int which = 0; which < 3; which++) {
        for (int count = 0; count < MOST; count += 13) {
            MPI_Comm comm = comms[which];
            int n, me;
            MPI_Comm_size(comm, &n);
            MPI_Comm_rank(comm, &me);
            int in[5 * MOST * 8], out[5 * MOST * 8];
            size_t bytes = sizeof in;
#define FRESH \
    for (size_t i = 0; i < bytes / sizeof *in; i++) in[i] = (int)(1000 * (rank + 1) + i % 1000), out[i] = -(int)i
            FRESH;
            for (int root = 0; root < n; root++) {
                MPI_Bcast(in, count, strided, root, comm), look(in, bytes);
                MPI_Scatter(in, count, MPI_INT, out, count, MPI_INT, root, comm), look(out, bytes);
                MPI_Gather(in, count, MPI_INT, out, count, MPI_INT, root, comm), look(out, bytes);
                if (me == root) MPI_Gather(MPI_IN_PLACE, 0, MPI_INT, out, count, MPI_INT, root, comm), look(out, bytes);
                else MPI_Gather(in, count, MPI_INT, NULL, 0, MPI_INT, root, comm);
                MPI_Reduce(in, out, count, MPI_INT, op, root, comm);
                if (me == root) look(out, (size_t)count * sizeof *out);
            }
            FRESH;
            MPI_Allgather(in, count, strided, out, 3 * count, MPI_INT, comm), look(out, bytes);
            MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, out, count, MPI_INT, comm), look(out, bytes);
            MPI_Alltoall(in, count, MPI_INT, out, count, MPI_INT, comm), look(out, bytes);
            MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, out, count, MPI_INT, comm), look(out, bytes);
            FRESH;
            MPI_Reduce_scatter_block(in, out, count, MPI_INT, op, comm), look(out, bytes);
            MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, comm), look(out, bytes);
            MPI_Allreduce(MPI_IN_PLACE, out, count, MPI_INT, op, comm), look(out, bytes);
            MPI_Scan(in, out, count, MPI_INT, op, comm), look(out, bytes);
        }
    }
    /* Elements of six bytes with gaps: no number of whole ones fills 64 KiB. */
    enum { ELEMENTS = 20011 };
    size_t own = 16 * (ELEMENTS + 1), whole = 16 * (ELEMENTS * (size_t)size + 1);
    char *sent = malloc(own), *got = malloc(whole);
    MPI_Aint place[2] = {-8, 4};
    int length[2] = {1, 2};
    MPI_Datatype kinds[2] = {MPI_INT, MPI_CHAR}, loose, six;
    MPI_Type_create_struct(2, length, place, kinds, &loose);
    MPI_Type_create_resized(loose, -8, 16, &six);
    MPI_Type_commit(&six);
    for (size_t i = 0; i < own; i++) sent[i] = (char)(7 * i + (size_t)rank);
    memset(got, 0, whole);
    MPI_Allgather(sent + 8, ELEMENTS, six, got + 8, ELEMENTS, six, MPI_COMM_WORLD), look(got, whole);
    for (int root = 0; root < size; root++) MPI_Bcast(sent + 8, ELEMENTS, six, root, MPI_COMM_WORLD), look(sent, own);
    MPI_Type_free(&loose), MPI_Type_free(&six), free(sent), free(got);
    uint64_t all[64];
    PMPI_Gather(&sum, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int i = 0; i < size; i++) printf("%016llx\n", (unsigned long long)all[i]);
    MPI_Comm_free(&half);
    MPI_Comm_free(&world);
    MPI_Type_free(&strided);
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
