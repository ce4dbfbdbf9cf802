"""A stand-in for MSCCL++'s file of this name."""

from mscclpp._mscclpp import CppAlgorithmCollectionBuilder


class AlgorithmCollectionBuilder:
    def __init__(self):
        self._builder = CppAlgorithmCollectionBuilder.get_instance()

    def add_algorithm_builder(self, algorithm):
        self._builder.add_dsl_algorithm_builder(algorithm._algorithm)

    def set_algorithm_selector(self, selector):
        self._builder.set_algorithm_selector(selector)
