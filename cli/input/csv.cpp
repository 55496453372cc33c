#include "cli/input/csv.hpp"

#include "engine/net/error.hpp"

namespace warpnet::cli {

std::string csv_field(std::string_view value) {
    if (value.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(value);
    std::string quoted = "\"";
    for (const char c : value) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}

namespace {

class CsvParser {
  public:
    CsvParser(std::string_view text, const std::string& source) : text_(text), source_(source) {}

    std::vector<CsvRow> parse() {
        std::vector<CsvRow> rows;
        while (at_ < text_.size()) {
            CsvRow row = parse_row();
            if (row.fields.size() > 1 || !row.fields.front().empty()) rows.push_back(std::move(row));
        }
        return rows;
    }

  private:
    bool at_line_end() const {
        return at_ == text_.size() || text_[at_] == '\n' || text_.substr(at_, 2) == "\r\n";
    }

    CsvRow parse_row() {
        CsvRow row{line_, {parse_field()}};
        while (at_ < text_.size() && text_[at_] == ',') {
            ++at_;
            row.fields.push_back(parse_field());
        }
        if (at_ < text_.size()) at_ += text_[at_] == '\r' ? 2U : 1U;
        ++line_;
        return row;
    }

    std::string parse_field() {
        std::string field;
        if (at_ < text_.size() && text_[at_] == '"') {
            field = parse_quoted();
            if (!at_line_end() && text_[at_] != ',') fail(line_, "expected ',' after a closing quote");
        } else {
            while (!at_line_end() && text_[at_] != ',') field += text_[at_++];
        }
        return field;
    }

    std::string parse_quoted() {
        const std::size_t first_line = line_;
        std::string field;
        for (++at_; at_ < text_.size(); ++at_) {
            if (text_[at_] == '"' && text_.substr(at_, 2) != "\"\"") {
                ++at_;
                return field;
            }
            if (text_[at_] == '"') ++at_;
            if (text_[at_] == '\n') ++line_;
            field += text_[at_];
        }
        fail(first_line, "a quote is opened and not closed");
    }

    [[noreturn]] void fail(std::size_t line, const char* what) const {
        throw InputError(source_ + ":" + std::to_string(line) + ": " + what);
    }

    std::string_view text_;
    const std::string& source_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
};

}  // namespace

std::vector<CsvRow> parse_csv(std::string_view text, const std::string& source) {
    return CsvParser(text, source).parse();
}

}  // namespace warpnet::cli
