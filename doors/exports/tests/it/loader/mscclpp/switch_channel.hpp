// The handles are in memory_channel.hpp.
#pragma once
#include <mscclpp/memory_channel.hpp>
