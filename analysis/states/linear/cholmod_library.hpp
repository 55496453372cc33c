#pragma once

#include <suitesparse/cholmod.h>

namespace warpnet {

/// The functions of CHOLMOD that are used here.
struct CholmodLibrary {
    decltype(&cholmod_start) start;
    decltype(&cholmod_finish) finish;
    decltype(&cholmod_analyze) analyze;
    decltype(&cholmod_factorize_p) factorize_p;
    decltype(&cholmod_solve) solve;
    decltype(&cholmod_free_factor) free_factor;
    decltype(&cholmod_free_dense) free_dense;
    /// Of the OpenMP that it may be built with; null where it is not.
    void (*set_max_active_levels)(int);
    int (*get_max_active_levels)();
};

/// Loaded when first asked for: with its BLAS it takes longer to load than most commands take to run. Throws
/// InputError where it is not installed.
const CholmodLibrary& cholmod_library();

}  // namespace warpnet
