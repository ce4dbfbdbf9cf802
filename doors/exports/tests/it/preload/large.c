/* Messages of 2^31 bytes and more, as one element and as many; counts of MPI_Count. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, right = 1, all = 0;
    MPI_Datatype part, whole;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_contiguous(1 << 20, MPI_BYTE, &part);
    MPI_Type_contiguous(2049, part, &whole);
    MPI_Type_commit(&part);
    MPI_Type_commit(&whole);
    size_t bytes = (size_t)2049 << 20;
    char *data = calloc(bytes, 1);
    if (!data) MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank == 1) data[0] = 17, data[bytes - 1] = 42;
    MPI_Bcast(data, 1, whole, 1, MPI_COMM_WORLD);
    right &= data[0] == 17 && data[bytes - 1] == 42;
    if (rank == 1) data[1] = 18, data[bytes - 2] = 43;
    MPI_Bcast(data, 2049, part, 1, MPI_COMM_WORLD);
    right &= data[1] == 18 && data[bytes - 2] == 43;
#if MPI_VERSION >= 4
    if (rank == 1) data[2] = 19, data[bytes - 3] = 44;
    MPI_Bcast_c(data, (MPI_Count)bytes, MPI_BYTE, 1, MPI_COMM_WORLD);
    right &= data[2] == 19 && data[bytes - 3] == 44;
    if (rank == 1) data[3] = 20;
    MPI_Bcast_c(data, 1000, MPI_BYTE, 1, MPI_COMM_WORLD);
    right &= data[3] == 20;
#endif
    PMPI_Reduce(&right, &all, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("large messages: %s\n", all ? "right" : "wrong");
    MPI_Type_free(&whole), MPI_Type_free(&part);
    free(data);
    MPI_Finalize();
    return 0;
}
