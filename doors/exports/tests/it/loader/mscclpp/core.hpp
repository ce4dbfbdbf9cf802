// Declarations that MSCCL++'s loader of execution plans needs of its core, without CUDA.
#pragma once
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <mscclpp/errors.hpp>

namespace mscclpp {
class Communicator;
enum class Transport { Unknown };
enum class DataType { UINT32 };
}  // namespace mscclpp
