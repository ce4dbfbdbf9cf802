// Loads execution plans with MSCCL++'s own loader. Each line of the input holds a file, a number of ranks, and the sizes
// of input and output in bytes; each line of the output says "loads", "throws" and why, or "exceeds" and what: a
// place that an operation uses beyond its buffer's end.
#include <cstddef>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include <nlohmann/json.hpp>

// The loader's class is private.
#define private public
#include "execution_plan.hpp"
#undef private

namespace mscclpp {
BaseError::BaseError(const std::string& message, int code)
    : std::runtime_error(message), message_(message), errorCode_(code) {}
const char* BaseError::what() const noexcept { return message_.c_str(); }
Error::Error(const std::string& message, ErrorCode code) : BaseError(message, static_cast<int>(code)) {}
}  // namespace mscclpp

using namespace mscclpp;

using Plans = std::vector<std::unique_ptr<ExecutionPlan::Impl>>;

static size_t size_of(const ExecutionPlan::Impl& plan, BufferType type, size_t input, size_t output) {
  if (type == BufferType::SCRATCH) return plan.calScratchBufferSize(input, output);
  return type == BufferType::INPUT ? input : output;
}

// All remote buffers are accessed through memory channels, so their places are those of the file.
static std::string beyond(const Plans& plans, int rank, size_t input, size_t output) {
  const ExecutionPlan::Impl& plan = *plans[rank];
  for (size_t block = 0; block < plan.operations.size(); block++) {
    for (const Operation& operation : plan.operations[block]) {
      const bool puts = operation.type == OperationType::PUT;
      if (!puts && operation.type != OperationType::COPY && operation.type != OperationType::REDUCE) continue;
      for (int i = 0; i < operation.nInputs; i++) {
        const size_t end = size_t(operation.inputOffsets[i]) + operation.inputBufferSizes[i];
        const size_t size = size_of(plan, operation.inputBufferRefs[i].type, input, output);
        if (end > size) return "a source that ends at " + std::to_string(end) + " of " + std::to_string(size);
      }
      for (int i = 0; i < operation.nOutputs; i++) {
        const BufferRef place = operation.outputBufferRefs[i];
        const size_t end = size_t(operation.outputOffsets[i]) + operation.outputBufferSizes[i];
        size_t size = 0;
        if (puts) {
          const auto remote = plan.threadblockMemoryChannelBuffers[block].at(place.id);
          const int owner = plan.remoteBufferInfos_.at(rank).at(remote.first).rank;
          size = size_of(*plans[owner], remote.second, input, output);
        } else {
          size = size_of(plan, place.type, input, output);
        }
        if (end > size) return "a target that ends at " + std::to_string(end) + " of " + std::to_string(size);
      }
    }
  }
  return "";
}

static std::string said(const std::string& file, int ranks, size_t input, size_t output) {
  Plans plans;
  for (int rank = 0; rank < ranks; rank++) {
    try {
      plans.push_back(std::make_unique<ExecutionPlan::Impl>(file, rank));
      plans.back()->loadExecutionPlan(input, output, 0, 0);
    } catch (const std::exception& error) {
      return "throws rank " + std::to_string(rank) + ": " + error.what();
    }
  }
  for (int rank = 0; rank < ranks; rank++) {
    const std::string what = beyond(plans, rank, input, output);
    if (!what.empty()) return "exceeds rank " + std::to_string(rank) + ": " + what;
  }
  return "loads";
}

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string file;
    int ranks = 0;
    size_t input = 0, output = 0;
    words >> file >> ranks >> input >> output;
    std::cout << said(file, ranks, input, output) << std::endl;
  }
}
