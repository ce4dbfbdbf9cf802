// The one name of CUDA that the declarations of the executor use.
#pragma once
using cudaStream_t = void*;
