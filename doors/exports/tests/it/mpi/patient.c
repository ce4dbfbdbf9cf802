/* For LD_PRELOAD before MPICH: a rank that waits in vain sleeps for a moment. MPICH waits at full speed; with more ranks
   than cores, each rank then uses up its share of time before the one it waits for runs, some 10 ms per message. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

/* UCX's search for messages, called whenever MPICH waits: how many it handled. */
unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*search)(void *);
    static __thread int vain;
    if (!search)
        *(void **)&search = dlsym(RTLD_NEXT, "ucp_worker_progress");
    if (!search) /* A program that loads MPI late, as Python does, hides it from other libraries. */
        *(void **)&search = dlsym(dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD), "ucp_worker_progress");
    unsigned found = search(worker);
    if (found) {
        vain = 0;
    } else if (++vain > 20) {
        struct timespec moment = {0, 1000};
        vain = 0;
        nanosleep(&moment, 0);
    }
    return found;
}
