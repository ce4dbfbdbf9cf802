/* Replays a run in SimGrid: every transfer and merge from its date on, when its inputs are there; compares when it ends.
   g++ -O2 -std=c++17 OUT.cpp -lsimgrid -o replay
   ./replay OUT OUT.replay */

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <simgrid/s4u.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>
#include <xbt/log.h>

namespace sg = simgrid::s4u;

struct Event {
    std::string kind, from, to;
    double start, end, amount;
    std::vector<size_t> after; /* lines that have to end before, from 0 */
    std::vector<Event *> next;
    size_t missing;
};

static const double TOLERANCE = 1e-9; /* periods */
static double period = 1, worst = 0;
static size_t ended = 0, late = 0;
static std::vector<Event> events;
static std::vector<std::pair<std::string, int>> limits;

static void run(Event *event) {
    sg::this_actor::sleep_until(event->start);
    sg::Host *from = sg::Host::by_name(event->from);
    if (event->amount > 0 && event->kind == "merge")
        sg::this_actor::execute(event->amount);
    else if (event->amount > 0)
        sg::Comm::sendto(from, sg::Host::by_name(event->to), (uint64_t)std::llround(event->amount));
    double now = sg::Engine::get_clock(), off = std::fabs(now - event->end) / period;
    worst = std::max(worst, off);
    ended++;
    if (off > TOLERANCE && ++late <= 10)
        std::printf("line %zu: %s %s -> %s of %.12g ends at %.12g, not at %.12g\n", (size_t)(event - events.data()),
                    event->kind.c_str(), event->from.c_str(), event->to.c_str(), event->start, now, event->end);
    for (Event *next : event->next)
        if (--next->missing == 0)
            sg::Actor::create("event", sg::Host::by_name(next->from), run, next);
}

/* Starts what waits for nothing, at its date. */
static void start() {
    std::vector<Event *> first;
    for (Event &event : events)
        if (event.missing == 0)
            first.push_back(&event);
    std::stable_sort(first.begin(), first.end(), [](Event *a, Event *b) { return a->start < b->start; });
    for (Event *event : first) {
        sg::this_actor::sleep_until(event->start);
        sg::Actor::create("event", sg::Host::by_name(event->from), run, event);
    }
}

static bool read(const char *name) {
    std::ifstream file(name);
    std::string line, key;
    while (std::getline(file, line)) {
        std::istringstream words(line);
        words >> key;
        if (key == "period") {
            words >> period;
        } else if (key == "limit") {
            std::pair<std::string, int> limit;
            words >> limit.first >> limit.second;
            limits.push_back(limit);
        } else {
            Event event{key, "", "", 0, 0, 0, {}, {}, 0};
            words >> event.start >> event.end >> event.from >> event.to >> event.amount;
            for (size_t input; words >> input; event.missing++)
                event.after.push_back(input);
            events.push_back(event);
        }
    }
    for (Event &event : events)
        for (size_t input : event.after) {
            if (input >= events.size())
                return false;
            events[input].next.push_back(&event);
        }
    return !events.empty();
}

int main(int argc, char **argv) {
    sg::Engine engine(&argc, argv);
    if (argc != 3 || !read(argv[2])) {
        std::fprintf(stderr, "usage: %s OUT OUT.replay: a platform, and a run of it\n", argv[0]);
        return 2;
    }
    /* A message takes its bytes over the bandwidth, no less and no more; dates are compared to a billionth of this. */
    xbt_log_control_set("root.thresh:error");
    for (const char *setting : {"network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0",
                                "network/weight-S:0", "network/bandwidth-factor:1", "network/latency-factor:1"})
        sg::Engine::set_config(setting);
    char precision[64];
    std::snprintf(precision, sizeof precision, "surf/precision:%.3g", period * 1e-13);
    sg::Engine::set_config(precision);
    engine.load_platform(argv[1]);
    for (const auto &limit : limits)
        sg::Link::by_name(limit.first)->set_concurrency_limit(limit.second);
    sg::Actor::create("start", engine.get_all_hosts().front(), start);
    engine.run();
    std::printf("%zu transfers and merges, %zu not at their dates, %zu never ended, worst %.3g periods\n", events.size(),
                late, events.size() - ended, worst);
    return late || ended < events.size() ? 1 : 0;
}
