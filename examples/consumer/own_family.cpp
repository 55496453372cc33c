// A family of one's own is a function from parameters to a net. Here items pass through the stages of a
// pipeline, between which there is room for few of them.
#include <iostream>
#include <optional>
#include <string>

#include <warpnet/net.hpp>
#include <warpnet/pnml.hpp>
#include <warpnet/worst.hpp>

using namespace warpnet;

struct Pipeline {
    int stages = 3;
    Tokens items = 5;
    Tokens room = 1;  ///< for items after each stage but the last
};

Net pipeline_net(const Pipeline& pipeline) {
    NetBuilder net("pipeline");
    PlaceId before = net.add_place("items", pipeline.items);
    std::optional<PlaceId> room_before;
    for (int i = 1; i <= pipeline.stages; ++i) {
        const std::string number = std::to_string(i);
        const TransitionId stage = net.add_transition("stage" + number);
        net.add_input(before, stage);
        if (room_before) net.add_output(stage, *room_before);
        before = net.add_place("after" + number);
        net.add_output(stage, before);
        if (i == pipeline.stages) break;
        room_before = net.add_place("room" + number, pipeline.room);
        net.add_input(*room_before, stage);
    }
    return net.build();
}

int main() {
    bool right = true;
    for (const Tokens room : {1, 2}) {
        const Net net = pipeline_net({.stages = 4, .items = 10, .room = room});
        const WorstCase worst = worst_case(net);
        std::cout << "room for " << room << ": " << *worst.found << " steps, never more than " << *worst.bound
                  << '\n';
        write_pnml_file(net, "pipeline" + std::to_string(room) + ".pnml");
        right = right && worst.exact && *worst.found == *worst.bound;
    }
    return right ? 0 : 1;
}
