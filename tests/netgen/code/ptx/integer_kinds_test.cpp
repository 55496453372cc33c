#include "netgen/code/ptx/integer_kinds.hpp"

#include "netgen/code/ptx/read_ptx.hpp"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace warpnet;

namespace {

PtxModule module_of(const std::string& name, const std::string& body) {
    return read_ptx(
        ".version 9.0\n.target sm_80\n.entry " + name + "(.param .u32 n)\n{\n" + body + "ret;\n}\n", "k.ptx");
}

}  // namespace

TEST_CASE("integers of unknown kind are divided as the PTX of the kernel has them") {
    const std::vector<PtxModule> modules = {
        module_of("_Z3mixILi16EEvPf",
                  "add.s32 %a, %a, 1;\nshl.b32 %a, %a, 1;\nL:\nmul.lo.s32 %a, %a, 3;\nadd.f32 %f, "
                  "%f, %f;\nsetp.lt.s32 %p, %a, %n;\n@%p bra L;\n"),
        module_of("other", "mov.u32 %a, 1;\n")};
    KernelProfile profile;
    profile.integer = 220;
    REQUIRE(take_integer_kinds(profile, modules, "mix"));
    // One addition and one shift, ten multiplications and ten comparisons of the loop.
    CHECK(profile.integer == Approx(0).margin(1e-12));
    CHECK(profile.logic == Approx(10));
    CHECK(profile.shifts == Approx(10));
    CHECK(profile.multiplies == Approx(100));
    CHECK(profile.compares == Approx(100));
    CHECK(profile.integer_instructions() == Approx(220));
    KernelProfile without;
    without.integer = 5;
    CHECK_FALSE(take_integer_kinds(without, modules, "other"));
    CHECK_FALSE(take_integer_kinds(without, modules, "ix"));
    CHECK(without.integer == 5);
}

TEST_CASE("names of kernels are found plain and mangled") {
    const std::vector<PtxModule> modules = {module_of("_Z14transposeNaivePfS_ii", ""), module_of("naive", ""),
                                            module_of("_ZN3abc4scanEv", ""),
                                            module_of("_Z15xtransposeNaivev", "")};
    CHECK(ptx_kernels_of(modules, "transposeNaive").size() == 1);
    CHECK(ptx_kernels_of(modules, "ransposeNaive").empty());
    CHECK(ptx_kernels_of(modules, "naive").size() == 1);
    CHECK(ptx_kernels_of(modules, "scan").size() == 1);
}
