#pragma once

#include "netgen/kernel/kernel.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace warpnet::testing {

/// Kernels whose warps wait for the instructions that they issued, on SMs that may share units of the chip,
/// computed from the spec by trying every schedule. It judges nets, strings, searches and bounds. All
/// instructions must hold their unit for one cycle, and schedulers must be shared by the warps of an SM.
class PlainWaitingKernel {
  public:
    explicit PlainWaitingKernel(const netgen::KernelSpec& spec) : spec_(spec) {}

    struct Extremes {
        int least = 0, most = 0;
        bool operator==(const Extremes&) const = default;
    };

    /// The extremes over all work-conserving schedules.
    Extremes extremes() { return from(std::vector<Warp>(static_cast<std::size_t>(spec_.warps * spec_.sms))); }

    /// The cycles of the schedule that in each cycle takes the ready instructions in the order of level and
    /// then of the string.
    int makespan_of(std::span<const std::uint8_t> string) const {
        std::vector<Warp> warps(static_cast<std::size_t>(spec_.warps * spec_.sms));
        int cycles = 0;
        for (; !ended(warps); ++cycles) {
            std::vector<std::pair<std::pair<int, std::size_t>, std::size_t>> ready;
            for (std::size_t w = 0; w < warps.size(); ++w)
                if (is_ready(warps[w]))
                    ready.push_back({{level(warps[w]), position(string, w, warps[w].next)}, w});
            std::sort(ready.begin(), ready.end());
            std::vector<std::size_t> chosen;
            for (const auto& [key, w] : ready) {
                chosen.push_back(w);
                if (!has_room(warps, chosen)) chosen.pop_back();
            }
            warps = after(warps, chosen);
        }
        return cycles;
    }

  private:
    struct Warp {
        std::size_t next = 0;
        int wait = 0;
        auto operator<=>(const Warp&) const = default;
    };

    bool ended(const std::vector<Warp>& warps) const {
        return std::all_of(warps.begin(), warps.end(), [&](const Warp& warp) {
            return warp.next == spec_.string.size() && warp.wait == 0;
        });
    }
    bool is_ready(const Warp& warp) const { return warp.wait == 0 && warp.next < spec_.string.size(); }
    char letter(const Warp& warp) const { return spec_.string[warp.next]; }
    int level(const Warp& warp) const { return spec_.level.empty() ? 0 : spec_.level[warp.next]; }
    static std::size_t position(std::span<const std::uint8_t> string, std::size_t warp,
                                std::size_t instruction) {
        std::size_t p = 0;
        while (string[p] != warp || instruction-- > 0) ++p;
        return p;
    }

    bool has_room(const std::vector<Warp>& warps, const std::vector<std::size_t>& chosen) const {
        std::map<std::pair<std::size_t, char>, int> used;
        std::map<std::size_t, int> issued;
        std::map<char, int> on_chip;
        for (const std::size_t w : chosen) {
            const std::size_t sm = w / static_cast<std::size_t>(spec_.warps);
            const char unit = letter(warps[w]);
            if (++used[{sm, unit}] > spec_.units.at(unit).numerator) return false;
            if (spec_.schedulers && ++issued[sm] > *spec_.schedulers) return false;
            if (spec_.chip_units.contains(unit) && ++on_chip[unit] > spec_.chip_units.at(unit)) return false;
        }
        return true;
    }

    /// Whether a ready warp that was not chosen would have had room with the chosen warps of its level and
    /// below.
    bool misses_one(const std::vector<Warp>& warps, const std::vector<std::size_t>& chosen) const {
        for (std::size_t w = 0; w < warps.size(); ++w) {
            if (!is_ready(warps[w]) || std::count(chosen.begin(), chosen.end(), w) > 0) continue;
            std::vector<std::size_t> before{w};
            for (const std::size_t c : chosen)
                if (level(warps[c]) <= level(warps[w])) before.push_back(c);
            if (has_room(warps, before)) return true;
        }
        return false;
    }

    std::vector<Warp> after(std::vector<Warp> warps, const std::vector<std::size_t>& chosen) const {
        for (Warp& warp : warps) warp.wait = std::max(0, warp.wait - 1);
        for (const std::size_t w : chosen) {
            const auto wait = spec_.wait.find(letter(warps[w]));
            warps[w].wait = wait == spec_.wait.end() ? 0 : wait->second;
            ++warps[w].next;
        }
        return warps;
    }

    Extremes from(const std::vector<Warp>& warps) {
        if (const auto known = known_.find(warps); known != known_.end()) return known->second;
        if (ended(warps)) return {};
        Extremes extremes{.least = 1 << 20, .most = 0};
        for (unsigned set = 0; set < 1U << warps.size(); ++set) {
            std::vector<std::size_t> chosen;
            bool ready = true;
            for (std::size_t w = 0; w < warps.size(); ++w) {
                if ((set >> w & 1U) == 0) continue;
                chosen.push_back(w);
                ready = ready && is_ready(warps[w]);
            }
            if (!ready || !has_room(warps, chosen) || misses_one(warps, chosen)) continue;
            const Extremes rest = from(after(warps, chosen));
            extremes.least = std::min(extremes.least, rest.least + 1);
            extremes.most = std::max(extremes.most, rest.most + 1);
        }
        return known_[warps] = extremes;
    }

    const netgen::KernelSpec& spec_;
    std::map<std::vector<Warp>, Extremes> known_;
};

}  // namespace warpnet::testing
