"""Registers plans and asks for calls: arguments are the script, the rank; lines of the input are JSON objects of calls.

Each line of the output is the name of the plan that serves the call and the two limits of its file, or null.
"""

import importlib.util
import json
import sys
import types

import mscclpp
from mscclpp._mscclpp import CppAlgorithmCollectionBuilder

spec = importlib.util.spec_from_file_location("registration", sys.argv[1])
registration = importlib.util.module_from_spec(spec)
spec.loader.exec_module(registration)
rank = int(sys.argv[2])
registration.register(rank)
builder = CppAlgorithmCollectionBuilder.get_instance()
# As matchExecutionPlan asks: no plan may be taken by its range alone.
for named in builder.algorithms.values():
    for algorithm in named.values():
        assert algorithm.constraint.__dict__ == {"world_size": 0, "n_ranks_per_node": 0}
for line in sys.stdin:
    call = json.loads(line)
    call["dtype"] = mscclpp.DataType[call["dtype"]]
    found = builder.selector(builder.algorithms, types.SimpleNamespace(**call))
    print(json.dumps(None if found is None else [found.plan.name, *found.plan.range]))
