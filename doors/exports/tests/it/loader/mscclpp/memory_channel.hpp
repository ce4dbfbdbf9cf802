// Handles that operations hold and the loader does not fill in.
#pragma once
#include <cstdint>

namespace mscclpp {
struct BaseMemoryChannel {};
struct BasePortChannel {};
struct SwitchChannel {};
template <typename Channel>
using DeviceHandle = Channel;
using MemoryId = uint32_t;
}  // namespace mscclpp
