#include "analysis/kernel/bracket_commands.hpp"

#include "analysis/kernel/segment_bound.hpp"
#include "analysis/team/bytes.hpp"
#include "analysis/team/command_session.hpp"

namespace warpnet {

namespace {

void write(ByteWriter& writer, const SegmentScheme& scheme) {
    writer.put(scheme.groups);
    writer.put_list(scheme.segments);
}

SegmentScheme read_scheme(ByteReader& reader) {
    SegmentScheme scheme;
    scheme.groups = reader.get<int>();
    scheme.segments = reader.get_list<StringSegment>();
    return scheme;
}

}  // namespace

std::string write_bracket_command(const BracketCommand& command, const WorkLimits& limits) {
    ByteWriter writer;
    writer.put(time_left(limits));
    const auto* bounds = std::get_if<BoundsCommand>(&command);
    writer.put(bounds != nullptr);
    if (bounds != nullptr) {
        writer.put(bounds->expected);
        writer.put(bounds->schemes.size());
        for (const SegmentScheme& scheme : bounds->schemes) write(writer, scheme);
    } else {
        const auto& layered = std::get<LayeredCommand>(command);
        write(writer, layered.guide);
        writer.put(layered.guide_makespan);
        writer.put(layered.target);
    }
    return std::move(writer).take();
}

BracketCommand read_bracket_command(std::string_view text, WorkLimits& limits) {
    ByteReader reader(text);
    set_deadline(limits, reader.get<TimeLeft>());
    if (reader.get<bool>()) {
        BoundsCommand bounds{.schemes = {}, .expected = reader.get<int>()};
        bounds.schemes.resize(reader.get<std::size_t>());
        for (SegmentScheme& scheme : bounds.schemes) scheme = read_scheme(reader);
        return bounds;
    }
    LayeredCommand layered{.guide = read_scheme(reader)};
    layered.guide_makespan = reader.get<int>();
    layered.target = reader.get<int>();
    return layered;
}

std::vector<std::optional<int>> bounds_of(const BoundsCommand& command, const KernelInstance& instance,
                                          Objective objective, const WorkLimits& limits, Collectives* ranks) {
    const std::size_t rank = ranks == nullptr ? 0 : static_cast<std::size_t>(ranks->rank());
    std::optional<int> own;
    if (rank < command.schemes.size())
        own = segment_bound_makespan(instance, command.schemes[rank], objective, limits, command.expected);
    return values_of_all(ranks, own);
}

}  // namespace warpnet
