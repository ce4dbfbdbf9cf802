"""Answers: numbers of the papers, proofs, plans, pickles."""

from __future__ import annotations

import json
import pickle
import re
import subprocess
from fractions import Fraction
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from conftest import ROOT

import pyoneport as op

def scatter(toy: op.Platform, goal: op.Goal = "schedule") -> op.Answer:
    return op.solve(toy, "scatter", source="Ps", targets=["P0", "P1"], goal=goal)


# Legrand, Marchal and Robert give 1/2 for this platform.
def test_the_toy_scatter(toy: op.Platform) -> None:
    answer = scatter(toy)
    assert (answer.throughput, answer.bound, answer.status, answer.gap) == (Fraction(1, 2), Fraction(1, 2), "optimal", 0)
    assert answer.roles == {"source": ("Ps",), "targets": ("P0", "P1")} and answer.collective == "scatter"
    assert answer.platform == toy and answer.ended_by is None and answer.unlisted is None
    assert answer.limited_by[0].resource == "send port of 'Ps'" and answer.limited_by[0].share == 1


def test_a_certificate_is_checked_with_networkx_and_fractions(toy: op.Platform) -> None:
    answer = scatter(toy)
    certificate = answer.certificate
    graph = toy.to_networkx()
    for source, target, edge in graph.edges.data():
        ends = (f"send port of '{source}'", f"receive port of '{target}'")
        edge["price"] = edge["cost"] * sum(certificate.get(end, 0) for end in ends)
    need = sum(nx.dijkstra_path_length(graph, "Ps", target, "price") for target in ("P0", "P1"))
    assert certificate.supply / need == answer.bound
    assert sum(reason.share for reason in certificate.reasons) == certificate.supply / answer.bound


def test_patterns_and_slots_deliver_the_throughput(toy: op.Platform) -> None:
    answer = scatter(toy)
    assert answer.patterns is not None and answer.schedule is not None
    for demand in (0, 1):
        assert sum(one.weight for one in answer.patterns if one.demand == demand) == answer.throughput
    for pattern in answer.patterns:
        ends = [(one.source, one.target) for one in pattern.tasks if isinstance(one, op.Send)]
        assert ends[0][0] == "Ps" and all(one[1] == other[0] for one, other in zip(ends, ends[1:]))
    schedule = answer.schedule
    assert schedule.throughput == answer.throughput and answer.loss == 0
    assert sum(slot.length for slot in schedule) <= schedule.period
    for slot in schedule:
        for end in (0, 1):
            ends = [link[end] for link in slot.links]
            assert len(ends) == len(set(ends))
    table = schedule.to_frame()
    assert list(table.columns) == ["slot", "start", "length", "source", "target", "share"]
    assert len(table) == sum(len(slot.links) for slot in schedule)


# The slots of a period that loses nothing, added up by hand, are the loads.
def test_loads_are_those_of_the_slots(toy: op.Platform) -> None:
    answer = scatter(toy)
    assert answer.schedule is not None and answer.loss == 0
    busy: dict[str, Fraction] = {}
    for slot in answer.schedule:
        for source, target, share in slot.links:
            for name in (f"send port of '{source}'", f"receive port of '{target}'", f"link '{source} -> {target}'"):
                busy[name] = busy.get(name, Fraction(0)) + slot.length * share / answer.schedule.period
    loads = {load.resource: load.busy for load in answer.loads()}
    assert loads == busy and loads["send port of 'Ps'"] == 1
    assert [load.busy for load in answer.loads()] == sorted(loads.values(), reverse=True)
    with pytest.raises(ValueError, match="lists no patterns"):
        scatter(toy, "bound").loads()


def test_the_answer_names_who_takes_no_part(dgx1: op.Platform, toy: op.Platform) -> None:
    takers = [f"box0.gpu{place}" for place in range(4)]
    others = tuple(f"box0.gpu{place}" for place in range(4, 8))
    out = op.rate(dgx1, "all-gather", participants=takers)
    assert out.left_out == others and out.forwarding == () and len(out.platform) == 4
    forward = op.rate(dgx1, "all-gather", participants=takers, idle="forward")
    assert forward.left_out == () and forward.forwarding == others and forward.throughput >= out.throughput
    assert pickle.loads(pickle.dumps(out)).left_out == others == op.verify(out).left_out
    assert "left out" in str(out) and "box0.gpu4" in str(out) and "may forward" in str(forward)
    assert scatter(toy).forwarding == tuple(node.name for node in toy.nodes if node.name not in ("Ps", "P0", "P1"))


def test_numbers_of_numpy_name_nodes() -> None:
    graph = nx.Graph()
    graph.add_edge(0, (1, 2), capacity=1)
    answer = op.rate(graph, "broadcast", source=0, targets=[(1, 2)])
    assert op.rate(graph, "broadcast", source=np.int64(0), targets=[(np.int64(1), np.int32(2))]) == answer


def test_an_answer_and_a_table_are_printed(dgx1: op.Platform) -> None:
    answer = op.solve(dgx1, "all-gather", bytes="1 GiB")
    text = str(answer)
    assert answer.bandwidth is not None and f"bus {float(answer.bandwidth.busbw):.6g} GB/s" in text
    assert answer.limited_by[0].resource in text and "optimal" in text
    table = op.Table(["name", "share"], [("a", Fraction(1, 3)), ("long", Fraction(25)), ("none", None)])
    assert str(table).splitlines() == ["name     share", "a     0.333333", "long        25", "none"]
    assert str(op.Table(["name"], [])) == "name"
    assert str(op.Table(["name", "time"], [("a", None)])) == "name\na"
    frame = table.to_frame(exact=False)
    assert frame["share"].dtype == float and frame["share"][0] == 1 / 3
    assert table.to_frame()["share"][0] == Fraction(1, 3)
    assert answer.schedule is not None and answer.schedule.to_frame(exact=False)["length"].dtype == float


@pytest.mark.parametrize("goal", ["schedule", "rate"])
def test_pickles_are_equal(toy: op.Platform, goal: op.Goal) -> None:
    answer = scatter(toy, goal)
    again = pickle.loads(pickle.dumps(answer))
    assert again == answer and again.platform == toy and hash(again) == hash(answer)
    assert (again.throughput, again.schedule, again.patterns) == (answer.throughput, answer.schedule, answer.patterns)
    assert answer != scatter(toy.with_model("links"), goal)
    assert (answer.schedule is None) == (goal != "schedule")


def test_a_pickle_keeps_what_it_can_prove(toy: op.Platform) -> None:
    """A bound has no list of patterns, so its pickle has no throughput."""
    answer = scatter(toy, "bound")
    again = pickle.loads(pickle.dumps(answer))
    assert answer.throughput == Fraction(1, 2) and answer.patterns is None
    assert (again.bound, again.throughput, again.status) == (answer.bound, None, None)
    assert dict(again.certificate) == dict(answer.certificate) and again.platform == toy


def test_a_dict_of_an_answer_is_checked(toy: op.Platform) -> None:
    answer = scatter(toy)
    told = json.loads(json.dumps(answer.to_dict()))
    assert op.verify(told) == op.verify(answer.to_dict(), toy) == answer
    row = next(op.sweep([op.question(toy, "scatter", source="Ps", targets=["P0", "P1"], keep="plan")]))
    assert op.verify(row) == answer
    assert "plan" not in answer.to_dict(plan=False) and "plan" not in scatter(toy, "rate").to_dict()
    for numbers in (answer.to_dict(plan=False), scatter(toy, "rate").to_dict()):
        with pytest.raises(ValueError, match="has the numbers of an answer and no plan; give the answer"):
            op.verify(numbers)
    told["plan"]["throughput"] = "2/3"
    with pytest.raises(op.Violation):
        op.verify(told)


# Every name that a certificate of these models has is one of docs/python.md.
def test_the_names_of_resources_are_documented(toy: op.Platform, dgx1: op.Platform) -> None:
    page = (ROOT / "docs/python.md").read_text().split("## The names of a certificate")[1].split("\n## ")[0]
    kinds = {kind(name) for name in re.findall(r"^\| `([^`]*)`", page, re.M)}
    assert len(kinds) >= 8
    ring = op.Platform.from_matrix([[0, 1, 1], [1, 0, 1], [1, 1, 0]], names="abc")
    asked = [(platform.with_model(model), name) for platform in (ring, toy, dgx1) for model in MODELS for name in ("all-reduce", "all-to-all")]
    found = set()
    for platform, name in asked:
        try:
            answer = op.rate(platform, name, work=1) if name == "all-reduce" else op.rate(platform, name)
        except (op.Infeasible, ValueError):
            continue
        found |= {kind(resource) for resource in answer.certificate}
    assert len(found) >= 5 and found <= kinds, (found, kinds)


def kind(name: str) -> str:
    """The name of a resource without its nodes."""
    return re.sub(r"\{.*\}.*", "SET", re.sub(r"'[^']*'", "NODE", name))


MODELS = ("full-duplex", "half-duplex", "multiport", "links")


def test_sizes_by_a_function() -> None:
    """Between two nodes, each direction carries its own message: the larger one limits."""
    pair = op.Platform.from_matrix([[0, 2], [3, 0]], names=["a", "b"])
    sizes = {("a", "b"): Fraction(1, 2), ("b", "a"): Fraction(5, 4)}
    answer = op.solve(pair, "all-to-all", size=lambda one, other: sizes[one, other])
    assert answer.throughput == min(2 / sizes["a", "b"], 3 / sizes["b", "a"]) == Fraction(12, 5)
    assert answer.collective == "all-to-all-v" and answer.size == Fraction(1, 4)
    ring = op.Platform.from_matrix([[0, 1, 1], [1, 0, 1], [1, 1, 0]], names="abc")
    equal = op.solve(ring, "all-to-all", size=2)
    assert op.solve(ring, "all-to-all", size=lambda one, other: 2).throughput == equal.throughput
    # Only one message: a to c over both links out of a, in the model of ports one at a time.
    one = op.solve(ring, "all-to-all", size=lambda one, other: 4 if (one, other) == ("a", "c") else 0, participants=["a", "c"])
    assert one.throughput == Fraction(1, 4) == op.solve(ring, "scatter", source="a", targets=["c"], size=4).throughput
    parts = op.solve(ring, "all-to-all", size=lambda one, other: 1, participants="a,b")
    assert parts.throughput == 1 and set(parts.roles["participants"]) == {"a", "b"}


def test_counts_may_be_arrays(toy: op.Platform) -> None:
    ring = op.Platform.from_matrix([[0, 1, 1], [1, 0, 1], [1, 1, 0]], names="abc")
    for counts in ([1, 2], np.array([1, 2]), pd.Series([1, 2])):
        answer = op.solve(ring, "scatter-v", source="a", counts=counts)
        assert answer == op.solve(ring, "scatter-v", source="a", counts="1,2")
    table = [[0, 1, 2], [3, 0, 1], [1, 1, 0]]
    assert op.rate(ring, "all-to-all-v", counts=np.array(table)) == op.rate(ring, "all-to-all-v", counts=table)


def test_short_names(toy: op.Platform) -> None:
    assert op.rate(toy, "scatter", source="Ps", targets=["P0", "P1"]) == scatter(toy, "rate")
    assert op.bound(toy, "scatter", source="Ps", targets=["P0", "P1"]).bound == Fraction(1, 2)


def test_plans_are_saved_and_checked(toy: op.Platform, tmp_path: Path, command: str) -> None:
    answer = scatter(toy)
    path = tmp_path / "plan.json"
    answer.save(path)
    assert op.Answer.load(path) == answer == op.verify(path) == op.verify(answer, toy)
    assert op.verify(json.loads(path.read_text())) == answer
    checked = subprocess.run([command, "verify", path], capture_output=True, text=True, timeout=60)
    assert checked.returncode == 0, checked.stderr
    text = path.read_text().replace('"throughput": "1/2"', '"throughput": "2/3"')
    path.write_text(text)
    with pytest.raises(op.Violation) as caught:
        op.Answer.load(path)
    assert caught.value.rule == "SteadyState" and "2/3" in str(caught.value)
    with pytest.raises(ValueError, match="goal='schedule'"):
        scatter(toy, "rate").save(path)


def test_a_plan_on_a_slower_platform_is_refused(toy: op.Platform) -> None:
    content = toy.to_dict()
    content["link"][0]["cost"] = 3
    with pytest.raises(op.Violation):
        op.verify(scatter(toy), op.Platform.from_dict(content))


def test_a_plan_goes_by_names_and_not_by_positions(toy: op.Platform) -> None:
    answer = scatter(toy)
    content = toy.to_dict()
    content["node"].reverse()
    content["link"].reverse()
    assert op.verify(answer, op.Platform.from_dict(content)) == answer
    renamed = json.loads(json.dumps(toy.to_dict()).replace('"Pa"', '"Px"'))
    with pytest.raises(op.Violation, match="node 'Pa' of the plan is not on the platform"):
        op.verify(answer, op.Platform.from_dict(renamed))


# The command and Python answer with the same numbers.
def test_the_command_answers_alike(dgx1: op.Platform, tmp_path: Path, command: str) -> None:
    dgx1.save(tmp_path / "dgx1.toml")
    for collective in ("all-to-all", "all-reduce", "broadcast"):
        source = ["--source", dgx1.processors[0]] if collective == "broadcast" else []
        ran = subprocess.run(
            [command, "solve", collective, tmp_path / "dgx1.toml", "--json", *source],
            capture_output=True,
            text=True,
            timeout=60,
        )
        told = json.loads(ran.stdout)
        extra = {"source": dgx1.processors[0]} if source else {}
        answer = op.solve(dgx1, collective, **extra).to_dict()  # type: ignore[arg-type]
        for key in ("throughput", "upper_bound", "status", "period", "instances", "loss", "nodes", "links", "algbw", "busbw"):
            assert answer[key] == told[key], key


def test_messages_that_cannot_arrive(toy: op.Platform) -> None:
    with pytest.raises(op.Infeasible) as caught:
        op.solve(toy, "scatter", source="P0", targets=["Ps"])
    again = pickle.loads(pickle.dumps(caught.value))
    for error in (caught.value, again):
        assert error.unreachable == (("P0", "Ps"),) and "no path from 'P0' to 'Ps'" in str(error)
        assert error.kind == "infeasible"


def test_errors_pickle() -> None:
    for error in (op.Stopped("text", "memory"), op.Violation("text", "Run"), op.OneportError("text")):
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error) and str(again) == "text" and vars(again) == vars(error)


@pytest.mark.parametrize("goal", ["rate", "schedule"])
def test_a_falsified_pickle_is_no_answer(dgx1: op.Platform, goal: str) -> None:
    answer = op.solve(dgx1, "all-gather", goal=goal)  # type: ignore[arg-type]
    make, (state,) = answer._held.__reduce__()
    assert make(state) == answer._held
    for wrong in (Fraction(54), Fraction(-1), Fraction(0), None):
        with pytest.raises(ValueError, match="states the throughput"):
            make((state[0], wrong, *state[2:]))
