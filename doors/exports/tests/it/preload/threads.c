/* Two threads, each with a communicator of its own, and a third that makes and frees communicators meanwhile. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { CALLS = 500, LENGTH = 8 };

static int rank, size, wrong[3];
static MPI_Comm comms[3];

static int sums(MPI_Comm comm, int salt) {
    int in[LENGTH], out[LENGTH], bad = 0;
    for (int i = 0; i < LENGTH; i++) in[i] = (rank + 1) * (salt + i);
    MPI_Allreduce(in, out, LENGTH, MPI_INT, MPI_SUM, comm);
    for (int i = 0; i < LENGTH; i++) bad |= out[i] != size * (size + 1) / 2 * (salt + i);
    return bad;
}

static void *work(void *argument) {
    int thread = *(int *)argument;
    for (int call = 0; call < CALLS; call++) {
        if (thread < 2) {
            wrong[thread] += sums(comms[thread], 1000 * thread + call);
        } else if (call % 25 == 0) {
            MPI_Comm made;
            MPI_Comm_dup(comms[2], &made);
            wrong[thread] += sums(made, call);
            MPI_Comm_free(&made);
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    int level, numbers[3] = {0, 1, 2}, all[3];
    pthread_t threads[3];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (level == MPI_THREAD_MULTIPLE) {
        for (int i = 0; i < 3; i++) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, &numbers[i]);
        for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
        for (int i = 0; i < 3; i++) MPI_Comm_free(&comms[i]);
    }
    PMPI_Reduce(wrong, all, 3, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("wrong: %d %d %d\n", all[0], all[1], all[2]);
    MPI_Finalize();
    return 0;
}
