/* The library's calls of these names, each served by a plan that is for it, and passed through to the library otherwise.

   All ranks of a communicator have to decide alike, for what MPI requires to be equal on all ranks decides: communicator,
   root, operator, datatypes that are combined, bytes of a message. A rank's own affairs (the name of its host, memory for
   another communicator) are agreed on once per communicator. Arguments that MPI refuses, MPI is given: before anything is
   sent they are tried without data on a communicator of this rank alone.

   Messages go over a private communicator, made within the first call that is served, kept as an attribute of the
   program's and freed with it. A call's messages have the call's number as their tag: messages left over from
   an erroneous call match no message of a later one. */

enum reason {
    NO_REASON, REFUSED, SESSION, INTER, UNLIKE, RANKS_DIFFER, ROOT_DIFFERS, IDLE, ORDER, SHORT, LAYOUT, UNEQUAL, LONG,
    HOSTS, NO_TWIN, REASONS
};

static const char *const reasons[REASONS] = {
    "",
    "arguments that are MPI's to judge",
    "communicators of a session without MPI_Init",
    "inter-communicators",
    "communicators unlike MPI_COMM_WORLD",
    "a number of ranks without a plan",
    "a root without a plan",
    "a plan with ranks that take no part or own no operand",
    "an operator that does not commute without a plan in rank order",
    "messages shorter than the plans are for",
    "datatypes with bounds or gaps in a reduction",
    "counts that differ between ranks",
    "messages of 2^31 bytes or more",
    "ranks on other hosts than the plan's",
    "no private communicator",
};

static const char *const names[KINDS] = {"scatter", "gather", "broadcast", "all-gather", "all-to-all", "reduce",
                                         "reduce-scatter", "all-reduce", "scan"};

/* Most private communicators at a time: a library has some 2000 communicators. */
enum { TWINS = 256, PLANS = sizeof plans / sizeof *plans };

/* State of a communicator: its private one, or the reason for its absence; the number of its calls. */
struct twin { MPI_Comm comm; int reason; unsigned calls; };

/* Used if this rank has no memory for the state. */
static struct twin without;

static atomic_long served[PLANS], passed[KINDS][REASONS];
static atomic_int warned, twins, prepared, finished, reported;
static int reporter, twin_key = MPI_KEYVAL_INVALID;
static MPI_Comm alone = MPI_COMM_NULL;

/* The calls of a collective, and how many of them each plan served. */
static inline void report_kind(enum kind kind) {
    long ours = 0, theirs = 0;
    int own = 0, said = 0;
    for (int place = 0; place < PLANS; place++)
        if (plans[place].kind == kind) ours += served[place], own++;
    if (!own) return;
    fprintf(stderr, "oneport: %s: %ld %s served", names[kind], ours, ours == 1 ? "call" : "calls");
    for (int place = 0; place < PLANS; place++)
        if (plans[place].kind == kind && own > 1 && served[place])
            fprintf(stderr, "%s%ld by plan %d", said++ ? ", " : " (", (long)served[place], place + 1);
    for (int reason = 0; reason < REASONS; reason++) theirs += passed[kind][reason];
    fprintf(stderr, "%s, %ld passed to MPI", said ? ")" : "", theirs);
    said = 0;
    for (int reason = 0; reason < REASONS; reason++)
        if (passed[kind][reason])
            fprintf(stderr, "%s%ld for %s", said++ ? ", " : ": ", (long)passed[kind][reason], reasons[reason]);
    fprintf(stderr, "\n");
}

/* With ONEPORT_REPORT in the environment, rank 0 reports the calls that plans served, and the others with reasons. */
static inline void report(void) {
    if (!getenv("ONEPORT_REPORT") || !reporter || reported++) return;
    for (int kind = 0; kind < KINDS; kind++) report_kind((enum kind)kind);
}

/* A program without MPI_Finalize, such as one with MPI sessions, is reported when it ends. */
__attribute__((destructor)) static void end(void) {
    if (!prepared) report();
}

/* Not served. A line reports the first reason that does not concern a single call. */
static inline int pass(enum kind kind, enum reason reason) {
    passed[kind][reason]++;
    if (reason != REFUSED && reason != SHORT && reporter && !warned++)
        fprintf(stderr, "oneport: %s: %s; passed to MPI\n", names[kind], reasons[reason]);
    return 0;
}

/* The communicator that it belongs to is freed. */
static inline int freed(MPI_Comm comm, int key, void *value, void *extra) {
    struct twin *twin = value;
    (void)comm, (void)key, (void)extra;
    if (twin == &without) return MPI_SUCCESS;
    if (twin->comm != MPI_COMM_NULL) twins--;
    int code = twin->comm == MPI_COMM_NULL || finished ? MPI_SUCCESS : PMPI_Comm_free(&twin->comm);
    free(twin);
    return code;
}

/* An attribute of MPI_COMM_SELF is freed before MPI_Finalize does anything, whichever language calls it. */
static inline int finalized(MPI_Comm comm, int key, void *value, void *extra) {
    struct twin *twin;
    int there = 0;
    (void)comm, (void)key, (void)value, (void)extra;
    report();
    PMPI_Comm_get_attr(MPI_COMM_WORLD, twin_key, &twin, &there);
    if (there) PMPI_Comm_delete_attr(MPI_COMM_WORLD, twin_key);
    if (alone != MPI_COMM_NULL) PMPI_Comm_free(&alone);
    finished = 1;
    return MPI_SUCCESS;
}

/* State that a rank needs once, made without the others. */
static inline void prepare(void) {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    if (prepared) return;
    pthread_mutex_lock(&mutex);
    if (!prepared) {
        int rank, key, code = MPI_SUCCESS;
        MPI_Group all, mine;
        TRY(PMPI_Comm_rank(MPI_COMM_WORLD, &rank));
        reporter = rank == 0;
        TRY(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, freed, &twin_key, NULL));
        TRY(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finalized, &key, NULL));
        TRY(PMPI_Comm_set_attr(MPI_COMM_SELF, key, NULL));
        TRY(PMPI_Comm_group(MPI_COMM_WORLD, &all));
        TRY(PMPI_Group_incl(all, 1, &rank, &mine));
        TRY(PMPI_Comm_create_group(MPI_COMM_WORLD, mine, 0, &alone));
        TRY(PMPI_Comm_set_errhandler(alone, MPI_ERRORS_RETURN));
        PMPI_Group_free(&mine), PMPI_Group_free(&all);
        if (code != MPI_SUCCESS) PMPI_Abort(MPI_COMM_WORLD, code);
        prepared = 1;
    }
    pthread_mutex_unlock(&mutex);
}

/* If LD_PRELOAD has several libraries, the linker takes the first one's MPI_Finalize, and this list. */
struct library { void (*prepare)(void); struct library *next; };
__attribute__((weak)) struct library *oneport_libraries;

__attribute__((constructor)) static void begin(void) {
    static struct library own = {prepare, NULL};
    own.next = oneport_libraries;
    oneport_libraries = &own;
}

/* A call of a collective. */
struct call {
    enum kind kind;
    MPI_Comm comm;
    int rank, size;
    MPI_Count bytes;
    const struct plan *plan;
    struct twin *twin;
};

/* Whether the communicator is one that plans may be for. */
static inline int opened(struct call *call) {
    int ready = 0, inter = 0, there = 0;
    if (call->comm == MPI_COMM_NULL) return pass(call->kind, REFUSED);
    PMPI_Initialized(&ready);
    if (!ready) {
        if (PMPI_Comm_rank(call->comm, &call->rank) == MPI_SUCCESS) reporter = call->rank == 0;
        return pass(call->kind, SESSION);
    }
    prepare();
    if (PMPI_Comm_test_inter(call->comm, &inter) != MPI_SUCCESS) return pass(call->kind, REFUSED);
    if (inter) return pass(call->kind, INTER);
    PMPI_Comm_rank(call->comm, &call->rank);
    PMPI_Comm_size(call->comm, &call->size);
    PMPI_Comm_get_attr(call->comm, twin_key, &call->twin, &there);
    if (!there) call->twin = NULL;
    if (call->twin) call->twin->calls++;
    return 1;
}

/* Chooses the plan for the longest messages that the call's reach. Without one: why. */
static inline enum reason chosen(struct call *call, int root, int ordered) {
    enum reason why = RANKS_DIFFER;
    call->plan = NULL;
    for (int place = 0; place < PLANS; place++) {
        const struct plan *plan = &plans[place];
        enum reason now = NO_REASON;
        if (plan->kind != call->kind || plan->ranks != call->size) continue;
        if (root >= 0 && plan->root != root) now = ROOT_DIFFERS;
        else if (plan->ranks != plan->participants) now = IDLE;
        else if (ordered && plan->commutative) now = ORDER;
        else if (call->bytes < plan->at_least || call->bytes == 0) now = SHORT;
        for (int rank = 0; plan->combines && rank < plan->ranks; rank++)
            if (!plan->owns[rank]) now = IDLE;
        if (now == NO_REASON && (!call->plan || plan->at_least > call->plan->at_least)) call->plan = plan;
        if (now > why) why = now;
    }
    return call->plan ? NO_REASON : why;
}

/* Whether a plan is for the root and the message. `valid`: whether the call's other arguments are such that MPI takes
   them. */
static inline int suits(struct call *call, int valid, int root, MPI_Count count, MPI_Datatype type) {
    MPI_Count size = 0;
    if (!valid || count < 0 || type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &size) != MPI_SUCCESS)
        return pass(call->kind, REFUSED);
    if (size < 0 || (size > 0 && count > INT32_MAX / size)) return pass(call->kind, LONG);
    call->bytes = count * size;
    enum reason why = chosen(call, root, 0);
    return why == NO_REASON || pass(call->kind, why);
}

/* Whether MPI takes the arguments: it has tried them at this rank alone. */
static inline int tried(struct call *call, int code) { return code == MPI_SUCCESS || pass(call->kind, REFUSED); }

/* Whether a buffer can hold elements of a datatype: MPI_BOTTOM is one of addresses alone. */
static inline int there(const void *buffer, MPI_Datatype type) {
    struct layout it;
    return buffer != NULL ||
           (type != MPI_DATATYPE_NULL && layout_of(type, &it) == MPI_SUCCESS && it.from != 0);
}

/* A rank's block of a buffer. */
static inline const char *block_of(const void *buffer, int rank, MPI_Count count, MPI_Datatype type) {
    MPI_Aint low = 0, extent = 0;
    PMPI_Type_get_extent(type, &low, &extent);
    return (const char *)buffer + (MPI_Aint)rank * count * extent;
}

/* Whether count and datatype are as many bytes as the message has. */
static inline int matches(const struct call *call, MPI_Count count, MPI_Datatype type) {
    MPI_Count size = 0;
    return count >= 0 && type != MPI_DATATYPE_NULL && PMPI_Type_size_x(type, &size) == MPI_SUCCESS &&
           (size == 0 || count <= INT32_MAX / size) && count * size == call->bytes;
}

/* Whether a plan is for the operator and the datatype that it combines. */
static inline int combines(struct call *call, int root, MPI_Count count, MPI_Datatype type, MPI_Op op) {
    struct layout it;
    int commutes = 0;
    if (op == MPI_REPLACE || op == MPI_NO_OP) return pass(call->kind, REFUSED);
    if (PMPI_Op_commutative(op, &commutes) != MPI_SUCCESS || layout_of(type, &it) != MPI_SUCCESS)
        return pass(call->kind, REFUSED);
    if (it.low != 0 || it.from != 0 || it.span > it.extent || it.extent > 2 * it.size) return pass(call->kind, LAYOUT);
    if (count > INT32_MAX / it.extent) return pass(call->kind, LONG);
    enum reason why = chosen(call, root, !commutes);
    return why == NO_REASON || pass(call->kind, why);
}

/* Whether this rank is where the plans have it. */
static inline int at_home(const struct call *call) {
    char here[MPI_MAX_PROCESSOR_NAME + 1] = "";
    int length = 0;
    PMPI_Get_processor_name(here, &length);
    for (int place = 0; place < PLANS; place++) {
        const char *host = plans[place].hosts && plans[place].ranks == call->size ? plans[place].hosts[call->rank] : NULL;
        if (!host || !strcmp(host, here)) continue;
        /* One may have a domain that the other is without. */
        size_t name = strcspn(host, "."), other = strcspn(here, ".");
        if (name != other || strncmp(host, here, name) || (host[name] && here[other])) return 0;
    }
    return 1;
}

/* Makes the private communicator; all ranks come here in the same call. If it fails, all ranks have the same reason. */
static inline int paired_now(struct call *call) {
    int same = MPI_UNEQUAL, all = 0, code;
    MPI_Errhandler handler;
    struct twin *twin = calloc(1, sizeof *twin);
    PMPI_Comm_compare(call->comm, MPI_COMM_WORLD, &same);
    int like = same == MPI_IDENT || same == MPI_CONGRUENT;
    int mine = !at_home(call) ? HOSTS : !twin || twins >= TWINS ? NO_TWIN : NO_REASON;
    if (!like) all = UNLIKE;
    else if (PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, call->comm) != MPI_SUCCESS) all = NO_TWIN;
    if (!twin) twin = &without;
    twin->comm = MPI_COMM_NULL;
    if (all == NO_REASON) {
        PMPI_Comm_get_errhandler(call->comm, &handler);
        PMPI_Comm_set_errhandler(call->comm, MPI_ERRORS_RETURN);
        code = PMPI_Comm_split(call->comm, 0, call->rank, &twin->comm);
        mine = code == MPI_SUCCESS && twin->comm != MPI_COMM_NULL ? NO_REASON : NO_TWIN;
        if (PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, call->comm) != MPI_SUCCESS) all = NO_TWIN;
        PMPI_Comm_set_errhandler(call->comm, handler);
        PMPI_Errhandler_free(&handler);
        if (mine == NO_REASON && all != NO_REASON) PMPI_Comm_free(&twin->comm);
        if (all == NO_REASON) PMPI_Comm_set_errhandler(twin->comm, MPI_ERRORS_RETURN), twins++;
    }
    twin->reason = all;
    PMPI_Comm_set_attr(call->comm, twin_key, twin);
    call->twin = twin;
    return all;
}

/* Whether the communicator has a private one; then the call is served. */
static inline int paired(struct call *call) {
    int reason = call->twin ? call->twin->reason : paired_now(call);
    if (reason != NO_REASON) return pass(call->kind, (enum reason)reason);
    served[call->plan - plans]++;
    return 1;
}

/* Passes an error to the program's own handler. */
static inline int ended(const struct call *call, int code) {
    if (code != MPI_SUCCESS) PMPI_Comm_call_errhandler(call->comm, code);
    return code;
}

static inline int follow(const struct call *call, const void *in, void *out, int count, MPI_Datatype type, MPI_Op op) {
    int tag = (int)(call->twin->calls % 32768);
    return oneport_follow(call->plan, in, out, 1, count, type, op, call->twin->comm, tag);
}

/* Blocks of a buffer, and their datatype. */
struct blocks { const void *at; int blocks; MPI_Count count; MPI_Datatype type; };

/* Several blocks as bytes, or back from bytes. MPI_Pack does not take MPI_BOTTOM everywhere: then the datatype is moved
   to where the bytes are. A message of MPI_PACKED to this rank would not do: MPICH receives it in segments that may end
   within an element. */
static inline int packed(const struct call *call, struct blocks it, char *bytes, int back) {
    struct layout layout;
    int code = layout_of(it.type, &layout), size = (int)call->bytes, count = (int)it.count;
    MPI_Comm comm = call->twin->comm;
    MPI_Datatype type = it.type;
    char *from = (char *)it.at;
    if (it.at == MPI_BOTTOM) {
        MPI_Aint here = 0;
        int one = 1;
        TRY(PMPI_Get_address(bytes, &here));
        from = bytes, here = -here;
        TRY(PMPI_Type_create_hindexed(1, &one, &here, it.type, &type));
        if (code != MPI_SUCCESS) return code;
        TRY(PMPI_Type_commit(&type));
    }
    for (int block = 0; code == MPI_SUCCESS && block < it.blocks; block++) {
        char *at = from + (MPI_Aint)block * it.count * layout.extent, *to = bytes + (size_t)block * size;
        int done = 0;
        if (back)
            TRY(PMPI_Unpack(to, size, &done, at, count, type, comm));
        else
            TRY(PMPI_Pack(at, count, type, to, size, &done, comm));
        if (done != size) TRY(MPI_ERR_INTERN);
    }
    if (type != it.type) PMPI_Type_free(&type);
    return code;
}

/* Where the bytes of blocks without gaps begin, or NULL. */
static inline char *plain(struct blocks it) {
    struct layout layout;
    if (layout_of(it.type, &layout) != MPI_SUCCESS || !dense(&layout)) return NULL;
    return (char *)it.at + layout.from;
}

/* Messages without an operator. A buffer that this rank does not have has no blocks. Blocks without gaps are used where
   they are; the input is copied if the output may overwrite it too early. */
static inline int moved(struct call *call, struct blocks send, struct blocks recv) {
    const struct plan *plan = call->plan;
    const int *own = plan->own[call->rank];
    size_t bytes = (size_t)call->bytes;
    char *in = send.blocks ? plain(send) : NULL, *out = recv.blocks ? plain(recv) : NULL, *copied = NULL, *made = NULL;
    int code = MPI_SUCCESS;
    if (in && out && (uintptr_t)in < (uintptr_t)out + recv.blocks * bytes &&
        (uintptr_t)out < (uintptr_t)in + send.blocks * bytes && !(send.blocks == 1 && own[0] >= 0 && in == out + own[1] * bytes))
        in = NULL;
    if (send.blocks && !in) {
        in = copied = malloc(send.blocks * bytes + 1);
        code = in ? packed(call, send, in, 0) : MPI_ERR_NO_MEM;
    }
    if (!out && (recv.blocks || own[0] >= 0)) out = made = calloc(plan->output_blocks, bytes);
    if (code == MPI_SUCCESS && !out && (recv.blocks || own[0] >= 0)) code = MPI_ERR_NO_MEM;
    if (code == MPI_SUCCESS) TRY(follow(call, in, out, (int)call->bytes, MPI_BYTE, MPI_OP_NULL));
    if (code == MPI_SUCCESS && recv.blocks && out == made) TRY(packed(call, recv, made, 1));
    free(copied), free(made);
    return ended(call, code);
}

/* Values that are combined. An input that the output overlaps is copied, for the output is written early. */
static inline int reduced(struct call *call, const void *send, void *recv, int is_output, MPI_Count count, MPI_Datatype type,
                          MPI_Op op) {
    struct layout it;
    int code = layout_of(type, &it), blocks = call->plan->input_blocks;
    size_t bytes = span_of(&it, blocks * (long long)count), out = span_of(&it, call->plan->output_blocks * (long long)count);
    const void *in = send == MPI_IN_PLACE ? recv : send;
    char *copied = NULL;
    if (is_output && (uintptr_t)in < (uintptr_t)recv + out && (uintptr_t)recv < (uintptr_t)in + bytes) {
        copied = malloc(bytes + 1);
        if (!copied) code = MPI_ERR_NO_MEM;
        /* A block's length may not fit the elements times blocks of a long: one block at a time. */
        for (int block = 0; code == MPI_SUCCESS && block < blocks; block++) {
            MPI_Aint at = (MPI_Aint)block * count * it.extent;
            TRY(copy((const char *)in + at, copied + at, (long)count, type, &it, call->twin->comm));
        }
        in = copied;
    }
    if (code == MPI_SUCCESS) code = follow(call, in, recv, (int)count, type, op);
    free(copied);
    return ended(call, code);
}

/* Every call has a function that serves it, if a plan is for it. Where input and output are one buffer, MPI tries them
   with their data, which are then copied onto themselves. */

enum { UNSERVED = -1 };

#ifdef HAS_BROADCAST
static inline int serve_Bcast(void *data, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm) {
    struct call call = {.kind = BROADCAST, .comm = comm};
    struct blocks all = {data, 1, count, type}, none = {NULL, 0, count, type};
    if (!opened(&call) || !suits(&call, data != MPI_IN_PLACE && there(data, type), root, count, type)) return UNSERVED;
    if (!tried(&call, PMPI_Bcast(data, 0, type, 0, alone)) || !paired(&call)) return UNSERVED;
    if (call.rank != root) return moved(&call, none, all);
    return moved(&call, all, plain(all) ? all : none);
}
#endif

#ifdef HAS_SCATTER
static inline int serve_Scatter(const void *send, MPI_Count sends, MPI_Datatype send_type, void *recv, MPI_Count receives,
                                MPI_Datatype recv_type, int root, MPI_Comm comm) {
    struct call call = {.kind = SCATTER, .comm = comm};
    if (!opened(&call)) return UNSERVED;
    int is_root = call.rank == root, in_place = is_root && recv == MPI_IN_PLACE;
    int valid = is_root ? send != MPI_IN_PLACE && there(send, send_type) : recv != MPI_IN_PLACE;
    valid = valid && (in_place || there(recv, recv_type));
    if (!suits(&call, valid, root, is_root ? sends : receives, is_root ? send_type : recv_type)) return UNSERVED;
    if (!in_place && !matches(&call, receives, recv_type)) return pass(call.kind, REFUSED), UNSERVED;
    int count = is_root && send == recv ? (int)sends : 0;
    if (!tried(&call, PMPI_Scatter(is_root ? send : NULL, count, is_root ? send_type : recv_type, recv, count, recv_type, 0,
                                   alone)) || !paired(&call))
        return UNSERVED;
    return moved(&call, (struct blocks){send, is_root ? call.size : 0, sends, send_type},
                 (struct blocks){recv, !in_place, receives, recv_type});
}
#endif

#ifdef HAS_GATHER
static inline int serve_Gather(const void *send, MPI_Count sends, MPI_Datatype send_type, void *recv, MPI_Count receives,
                               MPI_Datatype recv_type, int root, MPI_Comm comm) {
    struct call call = {.kind = GATHER, .comm = comm};
    if (!opened(&call)) return UNSERVED;
    int is_root = call.rank == root, in_place = is_root && send == MPI_IN_PLACE;
    int valid = is_root ? recv != MPI_IN_PLACE && there(recv, recv_type) : send != MPI_IN_PLACE;
    valid = valid && (in_place || there(send, send_type));
    if (!suits(&call, valid, root, is_root ? receives : sends, is_root ? recv_type : send_type)) return UNSERVED;
    if (!in_place && !matches(&call, sends, send_type)) return pass(call.kind, REFUSED), UNSERVED;
    const char *block = is_root ? block_of(recv, call.rank, receives, recv_type) : NULL;
    int count = is_root && send == block ? (int)sends : 0;
    if (!tried(&call, PMPI_Gather(send, count, send_type, (void *)block, count, is_root ? recv_type : send_type, 0, alone)) ||
        !paired(&call))
        return UNSERVED;
    return moved(&call, in_place ? (struct blocks){block, 1, receives, recv_type} : (struct blocks){send, 1, sends, send_type},
                 (struct blocks){recv, is_root ? call.size : 0, receives, recv_type});
}
#endif

#ifdef HAS_ALL_GATHER
static inline int serve_Allgather(const void *send, MPI_Count sends, MPI_Datatype send_type, void *recv, MPI_Count receives,
                                  MPI_Datatype recv_type, MPI_Comm comm) {
    struct call call = {.kind = ALL_GATHER, .comm = comm};
    int in_place = send == MPI_IN_PLACE;
    if (!opened(&call)) return UNSERVED;
    int valid = recv != MPI_IN_PLACE && there(recv, recv_type) && (in_place || there(send, send_type));
    if (!suits(&call, valid, -1, receives, recv_type)) return UNSERVED;
    if (!in_place && !matches(&call, sends, send_type)) return pass(call.kind, REFUSED), UNSERVED;
    const char *block = block_of(recv, call.rank, receives, recv_type);
    int count = send == block ? (int)sends : 0;
    if (!tried(&call, PMPI_Allgather(send, count, send_type, (void *)block, count, recv_type, alone)) || !paired(&call))
        return UNSERVED;
    return moved(&call, in_place ? (struct blocks){block, 1, receives, recv_type} : (struct blocks){send, 1, sends, send_type},
                 (struct blocks){recv, call.size, receives, recv_type});
}
#endif

#ifdef HAS_ALL_TO_ALL
static inline int serve_Alltoall(const void *send, MPI_Count sends, MPI_Datatype send_type, void *recv, MPI_Count receives,
                                 MPI_Datatype recv_type, MPI_Comm comm) {
    struct call call = {.kind = ALL_TO_ALL, .comm = comm};
    int in_place = send == MPI_IN_PLACE;
    if (!opened(&call)) return UNSERVED;
    int valid = recv != MPI_IN_PLACE && there(recv, recv_type) && (in_place || there(send, send_type));
    if (!suits(&call, valid, -1, receives, recv_type)) return UNSERVED;
    if (!in_place && !matches(&call, sends, send_type)) return pass(call.kind, REFUSED), UNSERVED;
    int count = send == recv ? (int)sends : 0;
    if (!tried(&call, PMPI_Alltoall(send, count, send_type, recv, count, recv_type, alone)) || !paired(&call))
        return UNSERVED;
    struct blocks out = {recv, call.size, receives, recv_type};
    return moved(&call, in_place ? out : (struct blocks){send, call.size, sends, send_type}, out);
}
#endif

#ifdef HAS_REDUCE
static inline int serve_Reduce(const void *send, void *recv, MPI_Count count, MPI_Datatype type, MPI_Op op, int root,
                               MPI_Comm comm) {
    struct call call = {.kind = REDUCE, .comm = comm};
    if (!opened(&call)) return UNSERVED;
    int is_root = call.rank == root, in_place = send == MPI_IN_PLACE;
    int valid = op != MPI_OP_NULL && (is_root ? recv && recv != MPI_IN_PLACE : !in_place) && send;
    if (!suits(&call, valid, root, count, type)) return UNSERVED;
    int aliased = is_root && send == recv ? (int)count : 0;
    if (!tried(&call, PMPI_Reduce(send, is_root ? recv : NULL, aliased, type, op, 0, alone)) ||
        !combines(&call, root, count, type, op) || !paired(&call))
        return UNSERVED;
    return reduced(&call, send, recv, is_root, count, type, op);
}
#endif

/* Whether buffers of a reduction are such that MPI takes them. */
static inline int buffers(const void *send, const void *recv) { return send && recv && recv != MPI_IN_PLACE; }

#ifdef HAS_REDUCE_SCATTER
static inline int serve_Reduce_scatter_block(const void *send, void *recv, MPI_Count count, MPI_Datatype type, MPI_Op op,
                                             MPI_Comm comm) {
    struct call call = {.kind = REDUCE_SCATTER, .comm = comm};
    if (!opened(&call) || !suits(&call, op != MPI_OP_NULL && buffers(send, recv), -1, count, type)) return UNSERVED;
    int aliased = send == recv ? (int)count : 0;
    if (!tried(&call, PMPI_Reduce_scatter_block(send, recv, aliased, type, op, alone)) ||
        !combines(&call, -1, count, type, op) || !paired(&call))
        return UNSERVED;
    return reduced(&call, send, recv, 1, count, type, op);
}
#endif

#ifdef HAS_ALL_REDUCE
static inline int serve_Allreduce(const void *send, void *recv, MPI_Count count, MPI_Datatype type, MPI_Op op,
                                  MPI_Comm comm) {
    struct call call = {.kind = ALL_REDUCE, .comm = comm};
    if (!opened(&call) || !suits(&call, op != MPI_OP_NULL && buffers(send, recv), -1, count, type)) return UNSERVED;
    int aliased = send == recv ? (int)count : 0;
    if (!tried(&call, PMPI_Allreduce(send, recv, aliased, type, op, alone)) ||
        !combines(&call, -1, count, type, op) || !paired(&call))
        return UNSERVED;
    return reduced(&call, send, recv, 1, count, type, op);
}
#endif

#ifdef HAS_SCAN
static inline int serve_Scan(const void *send, void *recv, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    struct call call = {.kind = SCAN, .comm = comm};
    if (!opened(&call) || !suits(&call, op != MPI_OP_NULL && buffers(send, recv), -1, count, type)) return UNSERVED;
    int aliased = send == recv ? (int)count : 0;
    if (!tried(&call, PMPI_Scan(send, recv, aliased, type, op, alone)) || !combines(&call, -1, count, type, op) ||
        !paired(&call))
        return UNSERVED;
    return reduced(&call, send, recv, 1, count, type, op);
}
#endif
