#pragma once

#include <string>
#include <string_view>

namespace warpnet::netgen {

/// A profiler's name of a kernel without template arguments, parameters and unnamed namespaces:
/// "void (anonymous namespace)::scale<int=16>(float*)" and "<unnamed>::scale" are "scale".
std::string function_name(std::string_view kernel);

/// Whether a function of a PTX file is called so: as the file names it, or by what its mangled name means,
/// with or without namespaces, template arguments and parameters ("scale", "scale<4>", "scale<4>(float*,
/// int)"). The prefix of nvcc's relocatable code (__nv_static_N__FILE__) belongs to no name.
bool is_ptx_name(std::string_view mangled, std::string_view wanted);

/// Whether a profiler's name of a function ("void k<float, (int)8>(T1 *)", with anything behind it) and a
/// mangled one, or that of another profiler, can be those of one function: template arguments and parameters
/// that both say are the same. Of lambdas and functions as template arguments, parts that only one name says
/// (parameters, scopes, numbers) are not compared. Assumes that the functions have one name without those.
bool may_be_one_kernel(std::string_view mangled, std::string_view written);

}  // namespace warpnet::netgen
