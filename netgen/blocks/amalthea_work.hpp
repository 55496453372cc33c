#pragma once

#include "engine/input/xml.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpnet::netgen::amalthea {

/// The name in a reference "Name?type=Kind", where names are percent-encoded.
std::string referenced_name(std::string_view reference);

/// The names in references with spaces between them.
std::vector<std::string> referenced_names(std::string_view references);

/// The names that an element refers to, in an attribute or in children such as
/// <definition href="amlt:/#Name?type=Kind"/>. InputError if a reference states a type that the attribute
/// cannot refer to.
std::vector<std::string> references(const XmlElement& from, const char* name);

/// "Ticks" of xsi:type="am:Ticks"; empty if there is none.
std::string_view type_of(const XmlElement& element);

/// A finite number; InputError else.
double number_of(const XmlElement& element, const char* attribute);

/// A child such as <recurrence value="10" unit="ms"/>, times the factor of its unit; InputError if there is
/// none, or it is not above `least` or has another unit.
double quantity(const XmlElement& parent, const char* child,
                const std::map<std::string, double, std::less<>>& units, double least = 0);

using Elements = std::map<std::string, XmlElement, std::less<>>;

/// The children of that tag, and of that type if it is not empty, by their names. They stay unread.
/// InputError if two have the same name: a reference to it would not say which.
Elements elements_of(const XmlElement& parent, const char* tag, std::string_view type = {});

/// The element that an attribute refers to; InputError if the model has no such element.
XmlElement referenced(const Elements& elements, const XmlElement& from, const char* attribute);

/// The same, marked as read.
XmlElement resolve(const Elements& elements, const XmlElement& from, const char* attribute);

/// What a processing unit has to do, at most.
struct Work {
    double ticks = 0;
    double bytes = 0;  ///< of label accesses; of a GPU alone
    /// A group with ticks in it that no task of a higher priority interrupts, if there is one.
    XmlElement uninterrupted = {};
};

/// Where the model says how much of something, such as instructions, a processing unit does in a cycle.
struct Rate {
    XmlElement element;
    const char* attribute = "value";
};

/// The kind of processing unit on which something is done.
struct Unit {
    std::string definition;  ///< the name that ticks refer to
    bool gpu = false;
    std::map<std::string, Rate, std::less<>> rates = {};  ///< by category: "Instructions"
    const Elements* definitions = nullptr;                ///< whatever ticks may refer to
};

/// What a task does.
struct Step {
    enum class Kind { run, trigger, wait };
    Kind kind = Kind::run;
    std::string name;  ///< of the runnable
    Work work = {};
    XmlElement item;
};

/// Reads activity graphs, and call graphs as they were called up to version 0.9.6, as what is done at most:
/// the longest entry of each switch, the upper bound of each distribution, and every call at every time.
/// Instructions, as up to version 0.9.2, and execution needs become ticks at the rate of the unit. Whatever
/// has no upper bound, or none for the unit that it runs on, is refused by its name.
class WorkReader {
  public:
    /// `software` is the <swModel>.
    explicit WorkReader(const XmlElement& software);

    /// Throws InputError.
    std::vector<Step> steps(const XmlElement& task, const Unit& unit);

  private:
    void add_steps(const XmlElement& container, const Unit& unit, int depth, std::vector<Step>& steps);
    void add_longest(const XmlElement& item, const Unit& unit, int depth, std::vector<Step>& steps);
    double accessed_bytes(const XmlElement& item, const Unit& unit) const;
    Work runnable_work(const XmlElement& call, const Unit& unit, int depth);
    Work work_of(const XmlElement& container, const Unit& unit, int depth);

    Elements runnables_, labels_;
    std::map<std::pair<std::string, std::string>, Work> known_;  // by runnable and definition
};

}  // namespace warpnet::netgen::amalthea
