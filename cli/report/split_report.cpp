#include "cli/report/split_report.hpp"

#include "analysis/pictures/plots/line_plot_svg.hpp"
#include "cli/input/cfg_input.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace warpnet::cli {

namespace {

using nlohmann::ordered_json;

std::vector<std::string> splits_of(const SplitReport& report, const SplitResult& result) {
    return split_ids(report.cfg, result.annotation.splits());
}

const char* describe(WorkEnd end) {
    switch (end) {
        case WorkEnd::effort_limit:
            return "stopped at the limit of evaluations";
        case WorkEnd::time_limit:
            return "stopped at the time limit";
        default:
            return "interrupted";
    }
}

std::string percent(double optimal, double other) {
    return fmt::format("{:.1f} %", other > 0 ? 100 * (1 - optimal / other) : 0.0);
}

std::vector<SplitMethod> methods_of(const SplitStudyOptions& options) {
    std::vector<SplitMethod> methods(split_methods.begin(), split_methods.end());
    if (!options.pool_evaluations) std::erase(methods, SplitMethod::pool);
    return methods;
}

template <class Value>
ordered_json by_method(const PerSplitMethod<Value>& values, const SplitStudyOptions& options) {
    ordered_json object;
    for (const SplitMethod method : methods_of(options)) object[to_string(method)] = at(values, method);
    return object;
}

std::string baselines_text(const SplitReport& report) {
    const SplitBaselines& rivals = *report.baselines;
    const auto optimal = static_cast<double>(report.result.wcet);
    std::string text = fmt::format("\nother choices   WCET         the {} optimum is shorter by\n",
                                   report.pool ? "pooled" : "static");
    const auto line = [&](std::string_view name, double wcet, std::string_view note) {
        text += fmt::format("{:<15} {:<12} {:<8}{}\n", name, fmt::format("{:.10g}", wcet),
                            percent(optimal, wcet), note);
    };
    if (report.pool) line("static", static_cast<double>(report.allotted_wcet), "the static optimum");
    line("none", static_cast<double>(rivals.none), "");
    line("naive", static_cast<double>(rivals.naive), "the largest gains, each alone");
    line("first", static_cast<double>(rivals.first), "the first branches, as splitting at run time");
    line("random", rivals.random.mean_wcet, fmt::format("mean of {} draws", rivals.random.draws));
    line("brute force", static_cast<double>(rivals.brute_force.wcet),
         fmt::format("{} static allotments, {}", rivals.brute_force.evaluations,
                     rivals.brute_force.end == WorkEnd::complete ? "all there are"
                                                                 : describe(rivals.brute_force.end)));
    return text;
}

std::string unit_set(Units first, Units count) {
    if (count > 4) return fmt::format("{{u{}..u{}}}", first, first + count - 1);
    std::string text;
    for (Units u = first; u < first + count; ++u) text += fmt::format("{}u{}", text.empty() ? "" : ",", u);
    return fmt::format("{{{}}}", text);
}

std::string choice_text(const UnitChoice& choice) {
    return fmt::format("({}) {},{}", choice.split ? 's' : 'd', choice.true_units, choice.false_units);
}

/// t(b, u), n(b, u) and the units that the answer gives to each block, in program order.
std::string tables_text(const SplitReport& report) {
    const SplitTable& table = *report.table;
    const StructuredCfg& cfg = report.cfg;
    const Units most = table.useful_units();
    std::size_t width = 7;
    for (const CfgBlock& block : cfg.blocks()) width = std::max(width, block.id.size());
    const auto head = [&](std::string_view name) {
        std::string text = fmt::format("\n{:<{}}", name, width);
        for (Units u = 1; u <= most; ++u) text += fmt::format("{:>13}", fmt::format("u = {}", u));
        return text;
    };
    std::string t = head("t(b, u)"), n = head("n(b, u)");
    const std::vector<Units> first = first_units(cfg, report.result.annotation);
    t += "   units\n";
    n += "\n";
    for (const BlockId at : cfg.program_order()) {
        t += fmt::format("{:<{}}", cfg[at].id, width);
        for (Units u = 1; u <= most; ++u) t += fmt::format("{:>13}", table.time(at, u));
        t += fmt::format("   {}\n",
                         unit_set(first[index(at)], report.result.annotation.blocks[index(at)].units));
        if (!cfg[at].is_branch()) continue;
        n += fmt::format("{:<{}}", cfg[at].id, width);
        for (Units u = 1; u <= most; ++u) n += fmt::format("{:>13}", choice_text(table.choice(at, u)));
        n += "\n";
    }
    return cfg.branches().empty() ? t : t + n;
}

void add_tables(ordered_json& object, const SplitReport& report) {
    const SplitTable& table = *report.table;
    const StructuredCfg& cfg = report.cfg;
    ordered_json t, n, sets;
    const std::vector<Units> first = first_units(cfg, report.result.annotation);
    for (const BlockId at : cfg.program_order()) {
        const std::string& id = cfg[at].id;
        ordered_json times = ordered_json::array(), choices = ordered_json::array();
        for (Units u = 1; u <= table.useful_units(); ++u) {
            times.push_back(table.time(at, u));
            if (!cfg[at].is_branch()) continue;
            const UnitChoice choice = table.choice(at, u);
            choices.push_back(
                {{"split", choice.split}, {"true", choice.true_units}, {"false", choice.false_units}});
        }
        t[id] = std::move(times);
        if (cfg[at].is_branch()) n[id] = std::move(choices);
        sets[id] = {{"first", first[index(at)]}, {"count", report.result.annotation.blocks[index(at)].units}};
    }
    object["t"] = std::move(t);
    object["n"] = n.is_null() ? ordered_json::object() : std::move(n);
    object["unit_sets"] = std::move(sets);
}

void add_pool(ordered_json& object, const SplitReport& report) {
    const PoolSplitResult& pool = *report.pool;
    object["lower"] = pool.lower;
    object["exact"] = pool.exact();
    object["evaluations"] = pool.evaluations;
    object["static_wcet"] = report.allotted_wcet;
    object["hand_over"] = ordered_json::array();
    for (const HandOver& hand_over : pool.run.hand_overs) {
        ordered_json row = {{"to", report.cfg[hand_over.to].id}, {"from", nullptr}, {"side", nullptr}};
        if (hand_over.from) {
            row["from"] = report.cfg[hand_over.from->branch].id;
            row["side"] = hand_over.from->true_side ? "true" : "false";
        }
        object["hand_over"].push_back(row);
    }
}

/// What the WCET is the least of.
std::string optimum_text(const SplitReport& report) {
    const Units units = report.result.annotation.units;
    const std::string number =
        fmt::format("{} {}unit{}", units, report.pool ? "pooled " : "", units == 1 ? "" : "s");
    if (!report.pool)
        return fmt::format("{}, the least over static allotments ({} rule)", number,
                           to_string(report.result.rule));
    if (report.pool->exact()) return number + ", the least over all sets of splits";
    return fmt::format("{}, no set of splits below {}", number, report.pool->lower);
}

std::string hand_over_text(const SplitReport& report) {
    std::string text;
    bool reused = false;
    for (const HandOver& hand_over : report.pool->run.hand_overs) {
        const std::string& to = report.cfg[hand_over.to].id;
        reused = reused || hand_over.from;
        text += !hand_over.from ? fmt::format("  {}: a unit that is free from the start\n", to)
                                : fmt::format("  {}: the unit of the {} side of {}\n", to,
                                              hand_over.from->true_side ? "true" : "false",
                                              report.cfg[hand_over.from->branch].id);
    }
    if (reused)
        text +=
            "If blocks may end early, this WCET needs this hand-over: first come, first served can take "
            "longer.\n";
    return text;
}

std::string label_of(const SplitStudyRow& row) {
    return row.name.empty() ? shape_label(row.depth, row.branches_in_sequence) : row.name;
}

bool given(const SplitStudy& study) { return !study.rows.empty() && !study.rows.front().name.empty(); }

}  // namespace

std::string split_json(const SplitReport& report) {
    const SplitResult& result = report.result;
    ordered_json object = {{"units", result.annotation.units}};
    if (!report.pool) object["rule"] = to_string(result.rule);
    object["optimum_over"] = report.pool ? "pooled_units" : "static_allotments";
    object["wcet"] = result.wcet;
    object["unsplit"] = result.unsplit;
    object["splits"] = splits_of(report, result);
    if (report.pool) {
        add_pool(object, report);
    } else {
        ordered_json& allocation = object["allocation"] = ordered_json::object();
        for (const BlockId block : report.cfg.program_order())
            allocation[report.cfg[block].id] = result.annotation.blocks[index(block)].units;
    }
    if (!report.by_units.empty()) {
        object["table"] = ordered_json::array();
        for (const SplitResult& row : report.by_units) {
            object["table"].push_back(
                {{"units", row.annotation.units}, {"wcet", row.wcet}, {"splits", splits_of(report, row)}});
        }
    }
    if (report.table != nullptr) add_tables(object, report);
    if (report.net_steps) object["net_steps"] = *report.net_steps;
    if (report.baselines) {
        const SplitBaselines& rivals = *report.baselines;
        object["baselines"] = {{"none", rivals.none},
                               {"naive", rivals.naive},
                               {"first", rivals.first},
                               {"random", rivals.random.mean_wcet},
                               {"brute_force", rivals.brute_force.wcet}};
        object["random_draws"] = rivals.random.draws;
        object["brute_force"] = {{"evaluations", rivals.brute_force.evaluations},
                                 {"complete", rivals.brute_force.end == WorkEnd::complete},
                                 {"splits", split_ids(report.cfg, rivals.brute_force.splits)}};
    }
    return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string split_text(const SplitReport& report) {
    const SplitResult& result = report.result;
    const std::vector<std::string> splits = splits_of(report, result);
    std::string text = fmt::format(
        "WCET {} with {}, {} unsplit: {} shorter\n", result.wcet, optimum_text(report), result.unsplit,
        percent(static_cast<double>(result.wcet), static_cast<double>(result.unsplit)));
    text +=
        fmt::format("split at: {}\n", splits.empty() ? "nowhere" : fmt::format("{}", fmt::join(splits, " ")));
    if (report.pool) text += hand_over_text(report);
    for (const BlockId block : report.cfg.program_order()) {
        const BlockAnnotation& own = result.annotation.blocks[index(block)];
        if (!own.split || report.pool) continue;
        text += fmt::format("  {}: {} units = {} (true side) + {} (false side)\n", report.cfg[block].id,
                            own.units, own.true_units, own.false_units);
    }
    if (report.net_steps)
        text += fmt::format("steps of the net{}: {}\n",
                            report.pool ? "s, hand-over fixed and first come, first served" : "",
                            *report.net_steps);
    if (!report.by_units.empty()) text += "\nunits  WCET         split at\n";
    for (const SplitResult& row : report.by_units)
        text += fmt::format("{:<6} {:<12} {}\n", row.annotation.units, row.wcet,
                            fmt::join(splits_of(report, row), " "));
    if (report.table != nullptr) text += tables_text(report);
    return report.baselines ? text + baselines_text(report) : text;
}

std::string study_json(const SplitStudy& study, const SplitStudyOptions& options) {
    ordered_json object = {{"units", options.units},
                           {"rule", to_string(options.rule)},
                           {"seed", options.seed},
                           {"rows", ordered_json::array()}};
    for (std::size_t i = 0; i < study.rows.size(); ++i) {
        const SplitStudyRow& row = study.rows[i];
        object["rows"].push_back({{"graph", label_of(row)},
                                  {"seed", row.graph_seed},
                                  {"blocks", row.blocks},
                                  {"branches", row.branches},
                                  {"wcet", by_method(row.wcet, options)},
                                  {"seconds", by_method(study.seconds[i], options)},
                                  {"brute_force_complete", row.brute_force_complete}});
        if (options.pool_evaluations) object["rows"].back()["pool_exact"] = row.pool_exact;
    }
    object["mean_reduction"] = by_method(study.mean_reduction, options);
    if (study.end == WorkEnd::interrupted) object["interrupted"] = true;
    if (study.end == WorkEnd::time_limit) object["time_limit"] = true;
    return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string study_text(const SplitStudy& study, const SplitStudyOptions& options) {
    std::string text =
        fmt::format("{} units ({} rule), {}, seed {}\n\n", options.units, to_string(options.rule),
                    given(study) ? "graphs of files" : "generated graphs", options.seed);
    std::size_t width = 6;
    for (const SplitStudyRow& row : study.rows) width = std::max(width, label_of(row).size());
    text += fmt::format("{:<{}} branches", "graph", width);
    for (const SplitMethod method : methods_of(options)) text += fmt::format(" {:>12}", to_string(method));
    text += "\n";
    for (const SplitStudyRow& row : study.rows) {
        text += fmt::format("{:<{}} {:>8}", label_of(row), width, row.branches);
        for (const SplitMethod method : methods_of(options))
            text += fmt::format(" {:>12.10g}", at(row.wcet, method));
        if (!row.brute_force_complete) text += "  (brute force stopped)";
        if (options.pool_evaluations && !row.pool_exact) text += "  (pool: not proved)";
        text += "\n";
    }
    PerSplitMethod<double> seconds{};
    for (const auto& row : study.seconds)
        for (const SplitMethod method : methods_of(options)) at(seconds, method) += at(row, method);
    text += fmt::format("\n{:<{}}  ", "static WCET is", width + 8);
    for (const SplitMethod method : methods_of(options))
        text += fmt::format("{:>12} ", fmt::format("{:.1f} %", 100 * at(study.mean_reduction, method)));
    text += fmt::format("shorter (mean)\n{:<{}}  ", "seconds in all", width + 8);
    for (const SplitMethod method : methods_of(options))
        text += fmt::format("{:>12.4f} ", at(seconds, method));
    text += "\n";
    if (study.end != WorkEnd::complete)
        text += fmt::format("\n{}: these are the {} graphs finished by then\n", describe(study.end),
                            study.rows.size());
    return text;
}

std::string study_svg(const SplitStudy& study, const SplitStudyOptions& options, const PictureStyle& style) {
    LinePlot plot;
    plot.style = style;
    plot.title = fmt::format("Where to split: {} units, {} rule, {} graphs", options.units,
                             to_string(options.rule), study.rows.size());
    plot.x_name = "graph";
    std::vector<double> graphs;
    std::vector<std::size_t> label(study.rows.size());
    for (std::size_t i = 0; i < study.rows.size(); ++i) {
        const std::string name = label_of(study.rows[i]);
        const auto known = std::find(plot.x_labels.begin(), plot.x_labels.end(), name);
        label[i] = static_cast<std::size_t>(known - plot.x_labels.begin());
        if (known == plot.x_labels.end()) {
            plot.x_labels.push_back(name);
            graphs.push_back(0);
        }
        ++graphs[label[i]];
    }
    plot.panels = {{"WCET", true, {}}, {"seconds", true, {}}};
    for (const SplitMethod method : methods_of(options)) {
        std::vector<PlotPoint> wcet(graphs.size()), seconds(graphs.size());
        for (std::size_t i = 0; i < study.rows.size(); ++i) {
            wcet[label[i]].y += at(study.rows[i].wcet, method) / graphs[label[i]];
            seconds[label[i]].y += at(study.seconds[i], method) / graphs[label[i]];
        }
        for (std::size_t i = 0; i < graphs.size(); ++i) wcet[i].x = seconds[i].x = static_cast<double>(i);
        plot.panels[0].lines.push_back({to_string(method), wcet, false});
        plot.panels[1].lines.push_back({to_string(method), seconds, false});
    }
    return line_plot_svg(plot);
}

}  // namespace warpnet::cli
