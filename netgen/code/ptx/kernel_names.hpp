#pragma once

#include <string>
#include <string_view>

namespace warpnet::netgen {

/// A profiler's name of a kernel without template arguments, parameters and unnamed namespaces:
/// "void (anonymous namespace)::scale<int=16>(float*)" and "<unnamed>::scale" are "scale".
std::string function_name(std::string_view kernel);

/// Whether a function of a PTX file has this name: its name in the file, or the demangled name with or
/// without namespaces, template arguments and parameters ("scale", "scale<4>", "scale<4>(float*, int)"). The
/// prefix of nvcc's relocatable code (__nv_static_N__FILE__) is not part of a name.
bool is_ptx_name(std::string_view mangled, std::string_view wanted);

/// Whether two names can be those of one function. The first is a profiler's name ("void k<float, (int)8>(T1
/// *)", with any suffix), and the second a mangled one or that of another profiler. Template arguments and
/// parameters that both names have must be the same. For lambdas and functions as template arguments, parts
/// that only one name has (parameters, scopes, numbers) are not compared. REQUIRES: the plain names of the
/// functions are equal.
bool may_be_one_kernel(std::string_view mangled, std::string_view written);

}  // namespace warpnet::netgen
