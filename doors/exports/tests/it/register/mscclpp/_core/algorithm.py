"""A stand-in for MSCCL++'s file of this name."""

from mscclpp._mscclpp import CppDslAlgorithm


class Algorithm:
    def __init__(self, id=None, execution_plan=None, native_handle=None, tags=None, constraint=None):
        self._algorithm = CppDslAlgorithm(id, execution_plan, tags=tags, constraint=constraint)
