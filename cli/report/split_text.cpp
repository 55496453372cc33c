// The texts, annotated graphs and pictures of `split`. The WCET comes first, with the class of choices over
// which it is the minimum. The tables t(b, u) and n(b, u) are those of [Klashtorny24]. The format of an
// annotated graph follows from its file name.
//
// The optimum is one over static allotments or over sets of splits with a pool, which are different classes,
// so the first line names the class. Without a proof the bound from below is shown instead of the word least.
// Baselines are compared in per cent of their WCET: the share of time that the optimum saves.

#include "analysis/pictures/plots/line_plot_svg.hpp"
#include "cli/report/texts.hpp"
#include "engine/base/text.hpp"
#include "engine/input/input_file.hpp"
#include "netgen/cfg/annotation.hpp"
#include "netgen/code/gcn/read_gcn.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::cli {

namespace {

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

std::string baselines_text(const studies::SplitReport& report) {
    const studies::SplitBaselines& rivals = *report.baselines;
    const auto optimal = static_cast<double>(report.result.wcet);
    std::string text = fmt::format("\nother choices   WCET         the {} optimum is shorter by\n",
                                   report.pool ? "pooled" : "static");
    const auto line = [&](std::string_view name, double wcet, std::string_view note) {
        text += fmt::format("{:<15} {:<12} {:<8}{}\n", name,
                            with_grouped_numbers(fmt::format("{:.10g}", wcet)), percent(optimal, wcet), note);
    };
    if (report.pool) line("static", static_cast<double>(report.allotted_wcet), "the static optimum");
    line("none", static_cast<double>(rivals.none), "");
    line("naive", static_cast<double>(rivals.naive), "the largest gains, each alone");
    line("first", static_cast<double>(rivals.first), "the first branches, as splitting at run time");
    line("random", rivals.random.mean_wcet, fmt::format("mean of {} draws", grouped(rivals.random.draws)));
    line("brute force", static_cast<double>(rivals.brute_force.wcet),
         fmt::format(
             "{} static allotments, {}", grouped(rivals.brute_force.evaluations),
             rivals.brute_force.end == WorkEnd::complete ? "all of them" : describe(rivals.brute_force.end)));
    return text;
}

std::string unit_set(netgen::Units first, netgen::Units count) {
    if (count > 4) return fmt::format("{{u{}..u{}}}", first, first + count - 1);
    std::string text;
    for (netgen::Units u = first; u < first + count; ++u)
        text += fmt::format("{}u{}", text.empty() ? "" : ",", u);
    return fmt::format("{{{}}}", text);
}

std::string choice_text(const studies::UnitChoice& choice) {
    return fmt::format("({}) {},{}", choice.split ? 's' : 'd', choice.true_units, choice.false_units);
}

/// t(b, u), n(b, u) and the units that the answer gives to each block, in program order.
std::string tables_text(const studies::SplitReport& report) {
    const studies::SplitTable& table = *report.table;
    const netgen::StructuredCfg& cfg = report.cfg;
    const netgen::Units most = table.useful_units();
    std::size_t width = 7;
    for (const netgen::CfgBlock& block : cfg.blocks()) width = std::max(width, block.id.size());
    const auto head = [&](std::string_view name) {
        std::string text = fmt::format("\n{:<{}}", name, width);
        for (netgen::Units u = 1; u <= most; ++u) text += fmt::format("{:>13}", fmt::format("u = {}", u));
        return text;
    };
    std::string t = head("t(b, u)"), n = head("n(b, u)");
    const std::vector<netgen::Units> first = netgen::first_units(cfg, report.result.annotation);
    t += "   units\n";
    n += "\n";
    for (const netgen::BlockId at : cfg.program_order()) {
        t += fmt::format("{:<{}}", cfg[at].id, width);
        for (netgen::Units u = 1; u <= most; ++u) t += fmt::format("{:>13}", grouped(table.time(at, u)));
        t += fmt::format("   {}\n",
                         unit_set(first[index(at)], report.result.annotation.blocks[index(at)].units));
        if (!cfg[at].is_branch()) continue;
        n += fmt::format("{:<{}}", cfg[at].id, width);
        for (netgen::Units u = 1; u <= most; ++u)
            n += fmt::format("{:>13}", choice_text(table.choice(at, u)));
        n += "\n";
    }
    return cfg.branches().empty() ? t : t + n;
}

/// The class of choices over which the WCET is the minimum.
std::string optimum_text(const studies::SplitReport& report) {
    const netgen::Units units = report.result.annotation.units;
    const std::string number =
        amount(static_cast<std::uint64_t>(units), report.pool ? "pooled unit" : "unit");
    if (!report.pool)
        return fmt::format("{}, the least over static allotments ({} rule)", number,
                           to_string(report.result.rule));
    if (report.pool->exact()) return number + ", the least over all sets of splits";
    return fmt::format("{}, no set of splits below {}", number, grouped(report.pool->lower));
}

std::string hand_over_text(const studies::SplitReport& report) {
    std::string text;
    bool reused = false;
    for (const netgen::HandOver& hand_over : report.pool->run.hand_overs) {
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

/// How the units are divided among many wavefronts, the best division first.
std::string wavefronts_text(const studies::SplitReport& report) {
    const studies::UnitDivision& best = studies::best_division(report.divisions);
    const auto number = [](std::int64_t count, const char* noun) {
        return amount(static_cast<std::uint64_t>(count), noun);
    };
    std::string text = fmt::format(
        "\n{} on {} SIMD units, {} of them reserved: at most {} with {} each\n"
        "units  at a time  rounds     WCET         time\n",
        number(report.wavefronts, "wavefront"), grouped(report.simds * report.result.annotation.units),
        grouped(report.simds * (report.result.annotation.units - 1)), grouped(best.time),
        number(best.units, "unit"));
    for (const studies::UnitDivision& one : report.divisions)
        text += fmt::format("{:<6} {:<10} {:<10} {:<12} {}\n", one.units, grouped(one.at_a_time),
                            grouped(one.rounds), grouped(one.wcet), grouped(one.time));
    return text;
}

bool given(const studies::SplitStudy& study) {
    return !study.rows.empty() && !study.rows.front().name.empty();
}

}  // namespace

void check_cfg_output(const std::string& flag, const std::string& file) {
    const std::string extension = std::filesystem::path(file).extension().string();
    if (extension.empty() || extension == ".json" || extension == ".cfg" || extension == ".graph") return;
    throw UsageError(flag, "expected a file name that ends in .json, .cfg or .graph, found '" + file + "'");
}

std::string annotated_cfg(const std::string& file, const netgen::StructuredCfg& cfg,
                          const netgen::CfgAnnotation& annotation) {
    if (file.ends_with(".cfg")) return netgen::annotated_cfg_text(cfg, annotation);
    if (file.ends_with(".graph")) return netgen::numbered_cfg_text(cfg, annotation);
    return netgen::annotated_cfg_json(cfg, annotation);
}

std::string annotated_source(const netgen::PtxInput& input, const netgen::StructuredCfg& cfg,
                             const netgen::CfgAnnotation& annotation) {
    std::vector<netgen::CodeBlock> code;
    for (const netgen::PtxBlockReport& block : ptx_report_of(input).blocks)
        code.push_back({block.id, block.line, block.lanes == netgen::CfgLanes::others});
    const std::string text = read_text(input.file);
    return netgen::annotated_ptx(text, code, cfg, annotation, netgen::is_gcn(text) ? ";" : "//");
}

std::string split_text(const studies::SplitReport& report, std::string_view unit) {
    const studies::SplitResult& result = report.result;
    const std::vector<std::string> splits = studies::splits_of(report, result);
    std::string text =
        fmt::format("WCET {}{}{} with {}, {} unsplit: {} shorter\n", grouped(result.wcet),
                    unit.empty() ? "" : " ", unit, optimum_text(report), grouped(result.unsplit),
                    percent(static_cast<double>(result.wcet), static_cast<double>(result.unsplit)));
    text +=
        fmt::format("split at: {}\n", splits.empty() ? "nowhere" : fmt::format("{}", fmt::join(splits, " ")));
    if (report.pool) text += hand_over_text(report);
    for (const netgen::BlockId block : report.cfg.program_order()) {
        const netgen::BlockAnnotation& own = result.annotation.blocks[index(block)];
        if (!own.split || report.pool) continue;
        text += fmt::format("  {}: {} = {} (true side) + {} (false side)\n", report.cfg[block].id,
                            amount(static_cast<std::uint64_t>(own.units), "unit"), own.true_units,
                            own.false_units);
    }
    if (report.net_steps)
        text += fmt::format("steps of the net{}: {}\n",
                            report.pool ? "s, hand-over fixed and first come, first served" : "",
                            grouped(*report.net_steps));
    if (!report.by_units.empty()) text += "\nunits  WCET         split at\n";
    for (const studies::SplitResult& row : report.by_units)
        text += fmt::format("{:<6} {:<12} {}\n", row.annotation.units, grouped(row.wcet),
                            fmt::join(studies::splits_of(report, row), " "));
    if (!report.divisions.empty()) text += wavefronts_text(report);
    if (report.table) text += tables_text(report);
    return report.baselines ? text + baselines_text(report) : text;
}

std::string study_text(const studies::SplitStudy& study, const studies::SplitStudyOptions& options) {
    std::string text = fmt::format(
        "{} ({} rule), {}, seed {}\n\n", amount(static_cast<std::uint64_t>(options.units), "unit"),
        to_string(options.rule), given(study) ? "graphs of files" : "generated graphs", options.seed);
    std::size_t width = 6;
    for (const studies::SplitStudyRow& row : study.rows)
        width = std::max(width, studies::label_of(row).size());
    text += fmt::format("{:<{}} branches", "graph", width);
    for (const studies::SplitMethod method : studies::methods_of(options))
        text += fmt::format(" {:>12}", to_string(method));
    text += "\n";
    for (const studies::SplitStudyRow& row : study.rows) {
        text += fmt::format("{:<{}} {:>8}", studies::label_of(row), width, row.branches);
        for (const studies::SplitMethod method : studies::methods_of(options))
            text += fmt::format(" {:>12}",
                                with_grouped_numbers(fmt::format("{:.10g}", studies::at(row.wcet, method))));
        if (!row.brute_force_complete) text += "  (brute force stopped)";
        if (options.pool_evaluations && !row.pool_exact) text += "  (pool: not proved)";
        text += "\n";
    }
    studies::PerSplitMethod<double> seconds{};
    for (const auto& row : study.seconds)
        for (const studies::SplitMethod method : studies::methods_of(options))
            studies::at(seconds, method) += studies::at(row, method);
    text += fmt::format("\n{:<{}}  ", "static WCET is", width + 8);
    for (const studies::SplitMethod method : studies::methods_of(options))
        text +=
            fmt::format("{:>12} ", fmt::format("{:.1f} %", 100 * studies::at(study.mean_reduction, method)));
    text += fmt::format("shorter (mean)\n{:<{}}  ", "seconds in all", width + 8);
    for (const studies::SplitMethod method : studies::methods_of(options))
        text += fmt::format("{:>12.4f} ", studies::at(seconds, method));
    text += "\n";
    if (study.end != WorkEnd::complete)
        text += fmt::format("\n{}: these are the {} graphs finished by then\n", describe(study.end),
                            study.rows.size());
    return text;
}

std::string study_svg(const studies::SplitStudy& study, const studies::SplitStudyOptions& options,
                      const pictures::PictureStyle& style) {
    pictures::LinePlot plot;
    plot.style = style;
    plot.title = fmt::format("Where to split: {}, {} rule, {}",
                             amount(static_cast<std::uint64_t>(options.units), "unit"),
                             to_string(options.rule), amount(study.rows.size(), "graph"));
    plot.x_name = "graph";
    std::vector<double> graphs;
    std::vector<std::size_t> label(study.rows.size());
    for (std::size_t i = 0; i < study.rows.size(); ++i) {
        const std::string name = studies::label_of(study.rows[i]);
        const auto known = std::find(plot.x_labels.begin(), plot.x_labels.end(), name);
        label[i] = static_cast<std::size_t>(known - plot.x_labels.begin());
        if (known == plot.x_labels.end()) {
            plot.x_labels.push_back(name);
            graphs.push_back(0);
        }
        ++graphs[label[i]];
    }
    plot.panels = {{"WCET", true, {}}, {"seconds", true, {}}};
    for (const studies::SplitMethod method : studies::methods_of(options)) {
        std::vector<pictures::PlotPoint> wcet(graphs.size()), seconds(graphs.size());
        for (std::size_t i = 0; i < study.rows.size(); ++i) {
            wcet[label[i]].y += studies::at(study.rows[i].wcet, method) / graphs[label[i]];
            seconds[label[i]].y += studies::at(study.seconds[i], method) / graphs[label[i]];
        }
        for (std::size_t i = 0; i < graphs.size(); ++i) wcet[i].x = seconds[i].x = static_cast<double>(i);
        plot.panels[0].lines.push_back({to_string(method), wcet, false});
        plot.panels[1].lines.push_back({to_string(method), seconds, false});
    }
    return pictures::line_plot_svg(plot);
}

ExitCode exit_code_of(WorkEnd end) {
    if (end == WorkEnd::interrupted) return ExitCode::interrupted;
    return end == WorkEnd::time_limit ? ExitCode::limit : ExitCode::done;
}

}  // namespace warpnet::cli
