#include "netgen/code/ptx/kernel_names.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace warpnet;

TEST_CASE("names of kernels: mangled names are found by what they mean") {
    CHECK(netgen::is_ptx_name("_Z5saxpyifPfS_", "saxpy"));
    CHECK(netgen::is_ptx_name("_Z5saxpyifPfS_", "saxpy(int, float, float*, float*)"));
    CHECK(netgen::is_ptx_name("_Z5saxpyifPfS_", "_Z5saxpyifPfS_"));
    CHECK_FALSE(netgen::is_ptx_name("_Z5saxpyifPfS_", "axpy"));
    CHECK_FALSE(netgen::is_ptx_name("_Z5saxpyifPfS_", ""));
    for (const char* name : {"scale", "scale<4>", "scale<4>(float*, int)", "void scale<4>(float*, int)"})
        CHECK(netgen::is_ptx_name("_Z5scaleILi4EEvPfi", name));
    CHECK_FALSE(netgen::is_ptx_name("_Z5scaleILi4EEvPfi", "scale<8>"));
    for (const char* name : {"a::b::k", "b::k", "k", "a::b::k(int)"})
        CHECK(netgen::is_ptx_name("_ZN1a1b1kEi", name));
    CHECK_FALSE(netgen::is_ptx_name("_ZN1a1b1kEi", "a"));
    CHECK(netgen::is_ptx_name("_ZN12_GLOBAL__N_11kEi", "k"));
}

TEST_CASE("a profiler's name is that of one overload and one instantiation") {
    const auto fits = [](const char* mangled, const char* written) {
        return netgen::may_be_one_kernel(mangled, written);
    };
    CHECK(fits("_Z1kPf", "k(float *)"));
    CHECK(fits("_Z1kPf", "k(float*) 10x1x1 32x1x1"));
    CHECK_FALSE(fits("_Z1kPf", "k(double *) 10x1x1 32x1x1"));
    CHECK_FALSE(fits("_Z1kv", "k(double *)"));
    CHECK(fits("_Z1kv", "k(void)"));
    CHECK(fits("_Z1kPKfPi", "k(const float *, int *)"));
    CHECK(fits("_Z1kPKjPKPKh", "k(const unsigned int *, const unsigned char *const *)"));
    CHECK_FALSE(fits("_Z1kPKfPi", "k(float *, int *)"));
    CHECK(fits("_Z1kPf", "k (10, 1, 1) (32, 1, 1)"));  // a shape
    CHECK(fits("k", "k(float *)"));
    CHECK(fits("_Z1kIfLi8EEvPT_", "void k<float, (int)8>(T1 *)"));
    CHECK(fits("_Z1kIfLi8EEvPT_", "void k<float, 8>(float *)"));
    CHECK_FALSE(fits("_Z1kIfLi4EEvPT_", "void k<float, (int)8>(T1 *)"));
    CHECK_FALSE(fits("_Z1kIfLi8EEvPT_", "void k<double, (int)8>(T1 *)"));
    CHECK(fits("_Z1kILb1ELj4EEvv", "void k<(bool)1, (unsigned int)4>()"));
    CHECK_FALSE(fits("_Z1kILb1ELj4EEvv", "void k<(bool)0, (unsigned int)4>()"));
    CHECK(fits("_Z1kIfLi8EEvPT_", "void k<float, int=8>(float*)"));  // nvprof
    CHECK_FALSE(fits("_Z1kIfLi4EEvPT_", "void k<float, int=8>(float*)"));
    CHECK_FALSE(fits("_Z1kILb1ELj4EEvv", "void k<bool=0, unsigned int=4>()"));
    CHECK(fits("_Z3volPVi", "vol(volatile int *)"));
    CHECK(fits("_Z3volPVKi", "vol(const volatile int *)"));
    CHECK_FALSE(fits("_Z3volPVi", "vol(int *)"));
    CHECK(fits("_Z1kILi4EEvPf", "k"));
    CHECK(fits("_ZN2ns1kIdEEvPT_", "void ns::k<double>(T1 *)"));
}

TEST_CASE("names of kernels: the function of a profiler's name") {
    CHECK(netgen::function_name("k (10, 1, 1) (64, 1, 1)") == "k");
    CHECK(netgen::function_name("void matrixMulCUDA<int=16>(float*, int)") == "matrixMulCUDA");
    CHECK(netgen::function_name("vectorAdd(float const *)") == "vectorAdd");
    CHECK(netgen::function_name("plain") == "plain");
}

TEST_CASE("names of kernels: unnamed namespaces and files of nvcc") {
    // Names of nvcc 13, with and without -rdc=true.
    for (const char* mangled :
         {"_ZN33_GLOBAL__N__2bd8ef03_4_n_cu__Z1fi1tINS_1SEEEvPT_",
          "__nv_static_22__2bd8ef03_4_n_cu__Z1fi__ZN33_GLOBAL__N__2bd8ef03_4_n_cu__Z1fi1t"
          "INS_1SEEEvPT_"}) {
        for (const char* written :
             {"void (anonymous namespace)::t<(anonymous namespace)::S>((anonymous namespace)::S*)",
              "void <unnamed>::t<<unnamed>::S>(T1 *)", "void ::<unnamed>::t<<unnamed>::S>(<unnamed>::S *)",
              "void _GLOBAL__N__14_tmpxft_0::t<_GLOBAL__N__14_tmpxft_0::S>(_GLOBAL__N__14_tmpxft_0::S*)"}) {
            CAPTURE(mangled, written);
            CHECK(netgen::function_name(written) == "t");
            CHECK(netgen::is_ptx_name(mangled, "t"));
            CHECK(netgen::is_ptx_name(mangled, written));
            CHECK(netgen::may_be_one_kernel(mangled, written));
        }
        CHECK_FALSE(netgen::may_be_one_kernel(mangled, "void <unnamed>::t<int>(T1 *)"));
        CHECK_FALSE(netgen::may_be_one_kernel(mangled, "void <unnamed>::t<<unnamed>::R>(T1 *)"));
        CHECK_FALSE(netgen::is_ptx_name(mangled, "S"));
    }
    CHECK(netgen::function_name("a::(anonymous namespace)::k2(int*)") == "a::k2");
    CHECK(netgen::is_ptx_name("_ZN1a33_GLOBAL__N__2bd8ef03_4_n_cu__Z1fi2k2EPi", "a::k2"));
    CHECK(netgen::is_ptx_name("__nv_static_22__2bd8ef03_4_n_cu__Z1fi__Z2stPf", "st"));
    CHECK(netgen::is_ptx_name("__nv_static_22__2bd8ef03_4_n_cu__Z1fi__Z2stPf", "_Z2stPf"));
    CHECK_FALSE(netgen::is_ptx_name("__nv_static_99__2bd8ef03_4_n_cu__Z1fi__Z2stPf", "st"));
    CHECK(netgen::function_name("_INTERNAL_2bd8ef03_4_n_cu::st(float*)") == "st");
    CHECK(netgen::function_name("void ns::Pool<int>::fill<4>(int*)") == "ns::Pool::fill");
    CHECK(netgen::is_ptx_name("_ZN2ns4PoolIiE4fillILi4EEEvPi", "ns::Pool::fill"));
    CHECK(netgen::is_ptx_name("_ZN2ns4PoolIiE4fillILi4EEEvPi", "Pool<int>::fill<4>"));
    CHECK_FALSE(netgen::is_ptx_name("_ZN2ns4PoolIiE4fillILi4EEEvPi", "Pool<float>::fill<4>"));
    // Two functions, if both names contain their scope.
    CHECK_FALSE(netgen::may_be_one_kernel("_Z1kPf", "<unnamed>::k(float *)"));
}

TEST_CASE("names of kernels: lambdas, functions and types as template arguments") {
    const auto fits = [](const char* mangled, const char* written) {
        return netgen::may_be_one_kernel(mangled, written);
    };
    const char* const first = "_Z3lamIZ4mainEUliE_EvT_Pi";
    for (const char* written :
         {"void lam<main::[lambda(int) (instance 1)]>(T1, int *)", "lam<lambda(int)#1>",
          "void lam<main::{lambda(int)#1}>(main::{lambda(int)#1}, int*)", "lam<main::[lambda(int)]>"}) {
        CAPTURE(written);
        CHECK(fits(first, written));
    }
    CHECK(fits("_Z3lamIZ4mainEUliE0_EvT_Pi", "void lam<main::[lambda(int) (instance 2)]>(T1, int *)"));
    CHECK_FALSE(fits(first, "void lam<main::[lambda(int) (instance 2)]>(T1, int *)"));
    CHECK_FALSE(fits(first, "void lam<main::[lambda(float) (instance 1)]>(T1, int *)"));
    CHECK_FALSE(fits(first, "void lam<other::[lambda(int) (instance 1)]>(T1, int *)"));
    CHECK_FALSE(fits(first, "lam<lambda(int)#2>"));
    CHECK(fits("_Z3lamIZ2m2PiEUliE_EvT_S0_", "void lam<m2(int *)::[lambda(int) (instance 1)]>(T1, int *)"));
    CHECK(fits("_Z3lamIZ2m2PiEUliE_EvT_S0_", "void lam<m2::[lambda(int) (instance 1)]>(T1, int *)"));
    CHECK_FALSE(fits("_Z3lamIZ2m2PiEUliE_EvT_S0_", "lam<m2(float *)::[lambda(int) (instance 1)]>"));
    // Host code of nvcc numbers the lambdas of a function, regardless of their parameters.
    const char* const wrapped = "_Z3lamI17__nv_dl_wrapper_tI11__nv_dl_tagIPFivEXadL_Z4mainEELj1EEJiEEEvT_Pi";
    CHECK(fits(wrapped, "lam<__nv_dl_wrapper_t<__nv_dl_tag<int (*)(), &main, 1u>, int>>"));
    CHECK(fits(wrapped, "lam<__nv_dl_wrapper_t<__nv_dl_tag<int (*)(), (&main), (unsigned int)1>, int>>"));
    CHECK_FALSE(fits(wrapped, "lam<__nv_dl_wrapper_t<__nv_dl_tag<int (*)(), &main, 2u>, int>>"));
    CHECK(fits(first, "lam<__nv_dl_wrapper_t<__nv_dl_tag<int (*)(), &main, 2u>, int>>"));

    const char* const function = "_Z2fpIXadL_Z1fiEEEvPi";
    for (const char* written :
         {"void fp<&f>(int *)", "void fp<(&f)>(int *)", "void fp<&(f(int))>(int *)", "fp<&f(int)>",
          "fp<(int (*)(int))&f>", "fp<int (*)(int)=&f>(int*)", "fp<f>"}) {
        CAPTURE(written);
        CHECK(fits(function, written));
    }
    CHECK_FALSE(fits(function, "void fp<&g>(int *)"));
    CHECK_FALSE(fits(function, "void fp<&(f(float))>(int *)"));
    CHECK_FALSE(fits(function, "void fp<&b::g>(int *)"));
    CHECK(fits("_Z2fpIXadL_ZN1b1gEiEEEvPi", "void fp<(&b::g)>(int *)"));
    CHECK(fits("_Z2fpIXadL_ZN31_INTERNAL_2bd8ef03_4_n_cu__Z1fi33_GLOBAL__N__2bd8ef03_4_n_cu__Z1fi2ffEiEEEvPi",
               "void fp<&<unnamed>::ff>(int *)"));

    CHECK(fits("_Z1kIfLi8EEvPKT_", "void k<float, (int)8>(const T1 *)"));
    CHECK(fits("_Z1kI1PI1QILi3EEEEvRKT_", "void k<P<Q<(int)3>>>(const P<Q<(int)3>> &)"));
    CHECK_FALSE(fits("_Z1kI1PI1QILi3EEEEvRKT_", "void k<P<Q<(int)4>>>(const T1 &)"));
    CHECK_FALSE(fits("_Z1kI1PI1QILi3EEEEvRKT_", "void k<P<Q<(int)3>>>(P<Q<(int)3>> &)"));
    CHECK(fits("_Z1kILin1EEvv", "void k<(int)-1>()"));
    CHECK_FALSE(fits("_Z1kILin1EEvv", "void k<(int)1>()"));
    CHECK(fits("_Z1kPFivE", "k(int (*)())"));
    CHECK_FALSE(fits("_Z1kPFivE", "k(int (*)(int))"));
    CHECK(fits("_Z1kRA3_f", "k(float (&)[3])"));
    CHECK_FALSE(fits("_Z1kRA3_f", "k(float (&)[4])"));
    // Unbalanced brackets give no information, in any number.
    const std::string deep(100'000, '<');
    CHECK(fits("_Z1kIfEvv", ("k" + deep).c_str()));
    CHECK(netgen::function_name("k" + deep) == "k");
}
