/* Replays a run in SimGrid, every transfer and merge from its date on, and compares when it ends.
   g++ -O2 -std=c++17 OUT.cpp -lsimgrid -o replay
   ./replay OUT OUT.replay --cfg=network/model:CM02 --cfg=network/crosstraffic:0 --cfg=network/TCP-gamma:0
     --cfg=network/weight-S:0 --cfg=network/bandwidth-factor:1 --cfg=network/latency-factor:1 --log=root.thresh:warning */

#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <simgrid/s4u.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace sg = simgrid::s4u;

struct Event {
    std::string kind, from, to;
    double start, end, amount;
};

static double period = 1, worst = 0;
static long late = 0;

static void run(const Event *event) {
    if (event->kind == "merge")
        sg::this_actor::execute(event->amount);
    else if (event->amount > 0)
        sg::Comm::sendto(sg::Host::by_name(event->from), sg::Host::by_name(event->to), (uint64_t)std::llround(event->amount));
    double off = std::fabs(sg::Engine::get_clock() - event->end) / period;
    worst = std::max(worst, off);
    if (off > 1e-6 && ++late <= 10)
        std::printf("%s %s -> %s of %.9g ends at %.9g, not at %.9g\n", event->kind.c_str(), event->from.c_str(),
                    event->to.c_str(), event->start, sg::Engine::get_clock(), event->end);
}

/* Starts everything at its date; what ends then has ended before. */
static void start(const std::vector<Event> *events) {
    for (const Event &event : *events) {
        sg::this_actor::sleep_until(event.start);
        sg::Actor::create("event", sg::Host::by_name(event.from), run, &event);
    }
}

int main(int argc, char **argv) {
    sg::Engine engine(&argc, argv);
    if (argc < 3) {
        std::fprintf(stderr, "usage: %s PLATFORM REPLAY\n", argv[0]);
        return 2;
    }
    engine.load_platform(argv[1]);
    std::ifstream file(argv[2]);
    std::vector<Event> events;
    std::string line, key;
    while (std::getline(file, line)) {
        std::istringstream words(line);
        words >> key;
        if (key == "period") {
            words >> period;
        } else if (key == "limit") {
            std::string name;
            int limit;
            words >> name >> limit;
            sg::Link::by_name(name)->set_concurrency_limit(limit);
        } else {
            Event event{key, "", "", 0, 0, 0};
            words >> event.start >> event.end >> event.from >> event.to >> event.amount;
            events.push_back(event);
        }
    }
    sg::Actor::create("start", engine.get_all_hosts().front(), start, &events);
    engine.run();
    std::printf("%zu transfers and merges, %ld not at their dates, worst %.3g periods\n", events.size(), late, worst);
    return late ? 1 : 0;
}
