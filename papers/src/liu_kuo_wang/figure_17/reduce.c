/* Figure 17 of Liu, Kuo, Wang (2009): reductions along given trees beside MPI_Reduce, on processors of unequal speeds.

   mpicc -O2 reduce.c -o reduce; mpirun -np 8 ./reduce REQUESTS RUNS     (smpicc and smpirun for SimGrid)

   Lines of REQUESTS:
     merge OPERATOR NANOSECONDS ...                    what combining one value takes, rank by rank
     OPERATOR VALUES ROOT library                      MPI_Reduce with an operator of the user's
     max VALUES ROOT builtin                           MPI_Reduce with MPI_MAX, whose merges take what they take
     OPERATOR VALUES ROOT NAME SENDER>RECEIVER ...     a tree: every rank does what names it, in this order
   Each request is answered by its first four words and the seconds at the root, the median of the runs. Exit code 1 if
   a result is not that of the definition. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef SMPI_H
#include <time.h>
#endif

enum { MOST_RANKS = 64, MOST_VALUES = 1 << 16, LONGEST_LINE = 4096 };

/* Simulated seconds; runs start at whole multiples. */
#define APART 1.0

static int rank, size;
/* Nanoseconds that combining a value takes on this rank, by operator. */
static double merge_cost[2];
static const char *names[2] = {"max", "gcd"};

static int maximum(int x, int y) { return x > y ? x : y; }

static int divisor(int x, int y) {
    while (y != 0) {
        int rest = x % y;
        x = y, y = rest;
    }
    return x;
}

/* Passes the time that combining takes on the processor which this rank stands for. Ranks may outnumber cores, so they
   sleep. */
static void delay(double nanoseconds) {
#ifdef SMPI_H
    smpi_execute_flops(nanoseconds);
#else
    struct timespec time = {(time_t)(nanoseconds / 1e9), (long)nanoseconds % 1000000000L};
    nanosleep(&time, NULL);
#endif
}

static void max_of(void *in, void *inout, int *length, MPI_Datatype *type) {
    int *x = in, *y = inout;
    (void)type;
    for (int i = 0; i < *length; i++) y[i] = maximum(x[i], y[i]);
    delay(merge_cost[0] * *length);
}

static void gcd_of(void *in, void *inout, int *length, MPI_Datatype *type) {
    int *x = in, *y = inout;
    (void)type;
    for (int i = 0; i < *length; i++) y[i] = divisor(x[i], y[i]);
    delay(merge_cost[1] * *length);
}

/* Value `i` of a rank: differs from rank to rank and run to run, with common divisors. */
static int value(int of, int run, int i) { return (of * 7919 + run * 104729 + i * 31 + 1) % 9973 * (i % 12 + 1); }

static int compare(const void *x, const void *y) {
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Ranks leave together; in a simulation at exactly the same time. Returns it. */
static double together(void) {
    MPI_Barrier(MPI_COMM_WORLD);
#ifdef SMPI_H
    double now = MPI_Wtime(), start = ((long)(now / APART) + 1) * APART;
    smpi_execute_flops((start - now) * 1e9);
    return start;
#else
    return MPI_Wtime();
#endif
}

/* Along a tree: `messages` pairs of sender and receiver. */
static void reduce(int *data, int *arrives, int count, MPI_User_function *combine, int (*tree)[2], int messages) {
    for (int i = 0; i < messages; i++) {
        if (tree[i][0] == rank) MPI_Ssend(data, count, MPI_INT, tree[i][1], 0, MPI_COMM_WORLD);
        if (tree[i][1] != rank) continue;
        MPI_Recv(arrives, count, MPI_INT, tree[i][0], 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        combine(arrives, data, &count, NULL);
    }
}

/* Whether the root has what the definition says. */
static int right(const int *data, int count, int gcd, int run) {
    for (int i = 0; i < count; i++) {
        int expected = value(0, run, i);
        for (int of = 1; of < size; of++)
            expected = gcd ? divisor(value(of, run, i), expected) : maximum(value(of, run, i), expected);
        if (data[i] != expected) return 0;
    }
    return 1;
}

int main(int argc, char **argv) {
    static int data[MOST_VALUES], arrives[MOST_VALUES], tree[MOST_RANKS][2];
    static char line[LONGEST_LINE];
    int wrong = 0, all = 0;
    MPI_Op op[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int runs = argc > 2 ? atoi(argv[2]) : 1;
    FILE *requests = argc > 1 ? fopen(argv[1], "r") : NULL;
    double *seconds = malloc(sizeof *seconds * (runs > 0 ? runs : 1));
    if (!requests || !seconds || runs < 1 || size > MOST_RANKS) {
        if (rank == 0) fprintf(stderr, "usage: mpirun -np RANKS %s REQUESTS [RUNS]\n", argv[0]);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Op_create(max_of, 1, &op[0]);
    MPI_Op_create(gcd_of, 1, &op[1]);
    while (fgets(line, sizeof line, requests)) {
        char *word = strtok(line, " \n"), *operator = word;
        if (word && strcmp(word, "merge") == 0) {
            int gcd = strcmp(strtok(NULL, " \n"), names[1]) == 0;
            for (int of = 0; (word = strtok(NULL, " \n")); of++)
                if (of == rank) merge_cost[gcd] = atof(word);
            continue;
        }
        if (!word) continue;
        int gcd = strcmp(operator, names[1]) == 0, messages = 0;
        int count = atoi(strtok(NULL, " \n")), root = atoi(strtok(NULL, " \n"));
        char *name = strtok(NULL, " \n");
        while (messages < MOST_RANKS && (word = strtok(NULL, " \n")))
            messages += sscanf(word, "%d>%d", &tree[messages][0], &tree[messages][1]) == 2;
        int builtin = strcmp(name, "builtin") == 0, library = builtin || strcmp(name, "library") == 0;
        if (count > MOST_VALUES || (builtin && gcd) || (messages != size - 1 && !library)) {
            if (rank == 0) fprintf(stderr, "%s %d %d %s: no tree of %d ranks\n", operator, count, root, name, size);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
        for (int run = 0; run < runs; run++) {
            for (int i = 0; i < count; i++) data[i] = value(rank, run, i);
            double start = together();
            if (library) {
                MPI_Reduce(data, arrives, count, MPI_INT, builtin ? MPI_MAX : op[gcd], root, MPI_COMM_WORLD);
                memcpy(data, arrives, sizeof *data * count);
            } else {
                reduce(data, arrives, count, gcd ? gcd_of : max_of, tree, messages);
            }
            seconds[run] = MPI_Wtime() - start;
            if (rank == root) wrong += !right(data, count, gcd, run);
        }
        qsort(seconds, runs, sizeof *seconds, compare);
        if (rank == root) printf("%s %d %d %s %.15f\n", operator, count, root, name, seconds[runs / 2]);
        fflush(stdout);
    }
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && all) printf("WRONG: %d results\n", all);
    MPI_Finalize();
    return all ? 1 : 0;
}
