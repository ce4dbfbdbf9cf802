"""Answers: numbers of the papers, proofs, plans, pickles."""

from __future__ import annotations

import json
import pickle
import subprocess
from fractions import Fraction
from pathlib import Path

import networkx as nx
import pytest

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
