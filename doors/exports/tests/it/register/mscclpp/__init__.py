"""The names of MSCCL++'s package that a registration uses; _core and ext may be MSCCL++'s own files."""

from ._core.algorithm import Algorithm
from ._mscclpp import CppDataType as DataType, CppExecutionPlan as ExecutionPlan
