#pragma once

#include "engine/input/xml.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpnet::netgen::amalthea {

/// The name in a reference "Name?type=Kind", with its percent encoding removed.
std::string referenced_name(std::string_view reference);

/// The names in references with spaces between them.
std::vector<std::string> referenced_names(std::string_view references);

/// The names that an element refers to, in an attribute or in children such as
/// <definition href="amlt:/#Name?type=Kind"/>. InputError if a reference states a type that the attribute
/// cannot refer to.
std::vector<std::string> references(const XmlElement& from, const char* name);

/// "Ticks" of xsi:type="am:Ticks"; empty if there is none.
std::string_view type_of(const XmlElement& element);

/// A finite number; otherwise InputError.
double number_of(const XmlElement& element, const char* attribute);

/// A child such as <recurrence value="10" unit="ms"/>, times the factor of its unit. InputError if the child
/// is missing, has another unit, or is not above `least`.
double quantity(const XmlElement& parent, const char* child,
                const std::map<std::string, double, std::less<>>& units, double least = 0);

using Elements = std::map<std::string, XmlElement, std::less<>>;

/// The children with this tag, and with this type unless it is empty, by their names. They stay unread.
/// InputError if two have the same name, because a reference to it would be ambiguous.
Elements elements_of(const XmlElement& parent, const char* tag, std::string_view type = {});

/// The element that an attribute refers to; InputError if the model has no such element.
XmlElement referenced(const Elements& elements, const XmlElement& from, const char* attribute);

/// The same, marked as read.
XmlElement resolve(const Elements& elements, const XmlElement& from, const char* attribute);

/// An upper bound of the work of a processing unit.
struct Work {
    double ticks = 0;
    double bytes = 0;  ///< of label accesses; only on a GPU
    /// A group with ticks in it that no task of a higher priority interrupts, if there is one.
    XmlElement uninterrupted = {};
};

/// The place in the model of a rate per cycle of a processing unit, such as instructions.
struct Rate {
    XmlElement element;
    const char* attribute = "value";
};

/// A kind of processing unit.
struct Unit {
    std::string definition;  ///< the name that ticks refer to
    bool gpu = false;
    std::map<std::string, Rate, std::less<>> rates = {};  ///< by category: "Instructions"
    const Elements* definitions = nullptr;                ///< the definitions to which ticks may refer
};

/// A step of a task.
struct Step {
    enum class Kind { run, trigger, wait };
    Kind kind = Kind::run;
    std::string name;  ///< of the runnable
    Work work = {};
    XmlElement item;
};

/// Reads activity graphs, or call graphs as versions up to 0.9.6 call them, as an upper bound of the work:
/// the longest entry of each switch, the upper bound of each distribution, and every call at every time.
/// Instructions, as up to version 0.9.2, and execution needs become ticks at the rate of the unit. An item
/// without an upper bound, or without one for its unit, is an error that names it.
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
