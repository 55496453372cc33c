#include "cli/input/device_input.hpp"

#include "cli/input/net_io.hpp"

namespace warpnet::cli {

DeviceTable load_devices(const std::string& file) {
    return file.empty() ? preset_devices() : read_devices(read_text(file), input_name(file));
}

Device DeviceInput::device() const { return load_devices(file).at(name); }

void add_device_input(Command& command, DeviceInput& input, const std::string& help) {
    command.add_option("--device", input.name, help).type_name("NAME");
    command
        .add_option("--devices", input.file,
                    "A table of your own in place of the presets ('warpnet devices')")
        .type_name("FILE")
        .needs("--device");
}

}  // namespace warpnet::cli
