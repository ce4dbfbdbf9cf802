"""Registers execution plans with MSCCL++ 0.9, whose libmscclpp_nccl.so then serves NCCL's calls by them.

    import this_file
    this_file.register()                  # before the communicator is made; the rank is torchrun's RANK
    torch.distributed.init_process_group("nccl")

    LD_PRELOAD=.../libmscclpp_nccl.so torchrun --nproc_per_node=RANKS program.py

MSCCL++ adds, whatever the operator: it tells nobody which one was asked for. Programs that call a reduction of another
operator (maximum, average) on as many ranks, in a size listed below, get sums.
"""

import os
from pathlib import Path

import mscclpp
import mscclpp.ext
from mscclpp import Algorithm

# By collective, larger messages first: file (behind this file's name), name, collective, ranks, from how many bytes of
# the message on, to how many, multiples of how many; in place: True, False, or None for both.
PLANS = [
@PLANS@
]

# What the executor copies and adds.
DATA_TYPES = ("int32", "uint32", "float16", "float32", "bfloat16")


def is_in_place(request):
    """Whether a call's input and output are one buffer, as NCCL means it."""
    share = request.message_size
    if request.collective == "allgather":
        return request.input_buffer == request.output_buffer + request.rank * share
    return request.input_buffer == request.output_buffer


def plan_for(request, rank, ranks_per_node=None):
    """The name of the plan that serves a call; None where none does. All ranks of a call get the same answer."""
    if request.rank != rank or request.n_ranks_per_node != (ranks_per_node or request.world_size):
        return None
    if not any(request.dtype == getattr(mscclpp.DataType, name) for name in DATA_TYPES):
        return None
    # The plans' root is rank 0.
    if request.collective == "broadcast" and any(root != 0 for root in request.hints.get("root", [0])):
        return None
    size = request.message_size * (request.world_size if request.collective == "allgather" else 1)
    for _, name, collective, ranks, least, most, multiple, in_place in PLANS:
        fits = least <= size <= most and size % multiple == 0
        if (collective, ranks) == (request.collective, request.world_size) and fits:
            return name if in_place is None or in_place == is_in_place(request) else None
    return None


def register(rank=None, ranks_per_node=None):
    """Adds the plans and their selector to MSCCL++'s collection; what no plan serves goes on to its own choice.

    `rank` is that in the communicator; `ranks_per_node` is for machines whose GPUs share memory over several nodes.
    """
    rank = int(os.environ["RANK"]) if rank is None else rank
    builder = mscclpp.ext.AlgorithmCollectionBuilder()
    for suffix, name, *_ in PLANS:
        path = Path(__file__).resolve()
        plan = mscclpp.ExecutionPlan(str(path.with_name(path.name + suffix)), rank)
        # Without a constraint MSCCL++ never takes a plan by its range alone, which knows no multiples.
        builder.add_algorithm_builder(Algorithm(id=name, execution_plan=plan))

    def selector(algorithms, request):
        name = plan_for(request, rank, ranks_per_node)
        return None if name is None else algorithms[request.collective][name]

    builder.set_algorithm_selector(selector)
