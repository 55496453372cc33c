#include "analysis/states/linear/cholmod_library.hpp"

#include "engine/net/error.hpp"

#include <string>

#include <dlfcn.h>

namespace warpnet {

namespace {

/// Null where the library, or what it depends on, has no such function.
template <class Function>
void find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
}

template <class Function>
void find_certainly(void* library, const char* name, Function& function) {
    find(library, name, function);
    if (function == nullptr) throw InputError(std::string("cannot load CHOLMOD: ") + dlerror());
}

CholmodLibrary load() {
    void* const library = dlopen(WARPNET_CHOLMOD_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw InputError(std::string("cannot load CHOLMOD: ") + dlerror());
    CholmodLibrary functions{};
    find_certainly(library, "cholmod_start", functions.start);
    find_certainly(library, "cholmod_finish", functions.finish);
    find_certainly(library, "cholmod_analyze", functions.analyze);
    find_certainly(library, "cholmod_factorize_p", functions.factorize_p);
    find_certainly(library, "cholmod_solve", functions.solve);
    find_certainly(library, "cholmod_free_factor", functions.free_factor);
    find_certainly(library, "cholmod_free_dense", functions.free_dense);
    find(library, "omp_set_max_active_levels", functions.set_max_active_levels);
    find(library, "omp_get_max_active_levels", functions.get_max_active_levels);
    return functions;
}

}  // namespace

const CholmodLibrary& cholmod_library() {
    static const CholmodLibrary functions = load();
    return functions;
}

}  // namespace warpnet
