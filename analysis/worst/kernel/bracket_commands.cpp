#include "analysis/worst/kernel/bracket_commands.hpp"

#include "analysis/ranks/bytes.hpp"
#include "analysis/ranks/command_session.hpp"
#include "analysis/worst/kernel/segment_bound.hpp"

namespace warpnet {

namespace {

void write(ByteWriter& writer, const SegmentScheme& scheme) {
    writer.put(scheme.groups);
    writer.put_list(scheme.segments);
}

void write(ByteWriter& writer, const BoundsCommand& command) {
    writer.put(command.expected);
    writer.put(command.schemes.size());
    for (const SegmentScheme& scheme : command.schemes) write(writer, scheme);
}

void write(ByteWriter& writer, const GuideCommand& command) {
    write(writer, command.scheme);
    writer.put(command.expected);
    writer.put(command.together);
}

void write(ByteWriter& writer, const LayeredCommand& command) { writer.put(command.target); }

SegmentScheme read_scheme(ByteReader& reader) {
    SegmentScheme scheme;
    scheme.groups = reader.get<int>();
    scheme.segments = reader.get_list<StringSegment>();
    return scheme;
}

BoundsCommand read_bounds(ByteReader& reader) {
    BoundsCommand command{.schemes = {}, .expected = reader.get<int>()};
    command.schemes.resize(reader.get<std::size_t>());
    for (SegmentScheme& scheme : command.schemes) scheme = read_scheme(reader);
    return command;
}

GuideCommand read_guide(ByteReader& reader) {
    GuideCommand command{.scheme = read_scheme(reader)};
    command.expected = reader.get<int>();
    command.together = reader.get<bool>();
    return command;
}

}  // namespace

std::string write_bracket_command(const BracketCommand& command, const WorkLimits& limits) {
    ByteWriter writer;
    writer.put(time_left(limits));
    writer.put(limits.effort);
    writer.put(command.index());
    std::visit([&](const auto& one) { write(writer, one); }, command);
    return std::move(writer).take();
}

BracketCommand read_bracket_command(std::string_view text, WorkLimits& limits) {
    ByteReader reader(text);
    set_deadline(limits, reader.get<TimeLeft>());
    limits.effort = reader.get<std::uint64_t>();
    switch (reader.get<std::size_t>()) {
        case 0:
            return read_bounds(reader);
        case 1:
            return read_guide(reader);
        default:
            return LayeredCommand{reader.get<int>()};
    }
}

std::vector<std::optional<int>> bounds_of(const BoundsCommand& command, const KernelInstance& instance,
                                          Objective objective, const WorkLimits& limits, Collectives* ranks) {
    const auto bound_of = [&](const SegmentScheme& scheme, Collectives* together) {
        return segment_bound_makespan(instance, scheme, objective, limits, command.expected, together);
    };
    if (command.schemes.size() == 1) return {bound_of(command.schemes.front(), ranks)};
    const std::size_t rank = ranks == nullptr ? 0 : static_cast<std::size_t>(ranks->rank());
    std::optional<int> own;
    if (rank < command.schemes.size()) own = bound_of(command.schemes[rank], nullptr);
    return values_of_all(ranks, own);
}

std::optional<SegmentBound> guide_of(const GuideCommand& command, const KernelInstance& instance,
                                     Objective objective, const WorkLimits& limits, Collectives* ranks) {
    return SegmentBound::create(instance, command.scheme, objective, limits, command.expected,
                                command.together ? ranks : nullptr);
}

}  // namespace warpnet
