"""What MSCCL++'s package has in C++, as far as a registration needs it, without GPUs."""

import enum
import json


class CppDataType(enum.Enum):
    int32 = 0
    uint32 = 1
    float16 = 2
    float32 = 3
    bfloat16 = 4
    uint8 = 9


class CppExecutionPlan:
    def __init__(self, planPath, rank):
        with open(planPath) as file:
            self.plan = json.load(file)
        self.name = self.plan["name"]
        self.collective = self.plan["collective"]
        assert 0 <= rank < len(self.plan["gpus"])
        self.rank = rank
        self.range = (self.plan["min_message_size"], self.plan["max_message_size"])
        self.in_place = self.plan["inplace"]


class CppAlgorithmType(enum.Enum):
    NATIVE = 0
    DSL = 1


class CppAlgorithm:
    class Constraint:
        def __init__(self, world_size=0, n_ranks_per_node=0):
            self.world_size, self.n_ranks_per_node = world_size, n_ranks_per_node


class CppDslAlgorithm(CppAlgorithm):
    def __init__(self, id, plan, tags=None, constraint=None):
        assert isinstance(id, str) and isinstance(plan, CppExecutionPlan)
        self.plan, self.constraint, self.type = plan, constraint or CppAlgorithm.Constraint(), CppAlgorithmType.DSL


class CppAlgorithmBuilder:
    pass


class CppAlgorithmCollection:
    pass


class CppCommunicator:
    pass


class CppCollectiveBufferMode(enum.Enum):
    ANY = 0
    IN_PLACE = 1
    OUT_OF_PLACE = 2


class CppExecutor:
    pass


class CppReduceOp(enum.Enum):
    SUM = 0
    MIN = 1
    NOP = 3


def cpp_get_flag_buffer():
    raise NotImplementedError


class CppAlgorithmCollectionBuilder:
    """Algorithms by collective and name, and the selector, as the singleton of C++ keeps them."""

    instance = None

    def __init__(self):
        self.algorithms, self.selector = {}, None

    @classmethod
    def get_instance(cls):
        cls.instance = cls.instance or cls()
        return cls.instance

    @classmethod
    def reset(cls):
        cls.instance = None

    def add_dsl_algorithm_builder(self, algorithm):
        named = self.algorithms.setdefault(algorithm.plan.collective, {})
        assert algorithm.plan.name not in named, "a plan of this name is there"
        named[algorithm.plan.name] = algorithm

    def set_algorithm_selector(self, selector):
        self.selector = selector
