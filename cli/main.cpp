#include "cli/program.hpp"

int main(int argc, char** argv) { return warpnet::cli::run_program(argc, argv, WARPNET_COMMIT); }
