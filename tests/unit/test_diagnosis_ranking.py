"""Symptoms, rivals, and what is said when a signal is missing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import labelled
import pytest
from labelled import DB, FPM, HOST, LISTEN, NODE, PROCESS
from stacks import Key, Stack, at_most, level, share, waiting

from breakstep.diagnosis.diagnose import diagnose
from breakstep.model.probe import ProbeState

if TYPE_CHECKING:
    from breakstep.model.finding import Finding
    from breakstep.model.record import StepRecord

POOL_FULL = {
    (NODE, "node", "pool_busy{pool=pg}", "count"): level(10.0),
    (NODE, "node", "pool_size{pool=pg}", "count"): level(10.0),
    (NODE, "node", "pool_waiting{pool=pg}", "count"): waiting(2),
}


def _found(stack: Stack) -> Finding:
    return diagnose(stack.observed())


def _without(stack: Stack, *kinds: str) -> Stack:
    left = {key: of for key, of in stack.signals.items() if key[1] not in kinds}
    return replace(stack, signals=left)


def test_a_full_pool_in_front_of_a_full_database_is_a_symptom() -> None:
    """The database is named, the pool is a row that says so."""
    stack = labelled.database_cpu()
    finding = _found(replace(stack, signals={**stack.signals, **POOL_FULL}))
    assert (finding.kind, finding.resource) == ("database_cpu", DB)
    symptoms = [row for row in finding.evidence if row.says.endswith("a symptom")]
    assert [row.signal for row in symptoms] == [f"{NODE} pool_busy{{pool=pg}}"]


def test_a_full_pool_in_front_of_a_full_loop_is_a_symptom() -> None:
    """Connections are given back late by a loop that is late."""
    stack = labelled.event_loop()
    finding = _found(replace(stack, signals={**stack.signals, **POOL_FULL}))
    assert finding.kind == "event_loop"
    assert finding.confidence == "high"


def test_a_full_pool_is_less_than_sure_if_nobody_looked_at_the_database() -> None:
    """The database may be full behind it; the alternative says which probe to add."""
    finding = _found(_without(labelled.connection_pool(), "postgres"))
    assert (finding.kind, finding.confidence) == ("connection_pool", "medium")
    rival = finding.alternatives[0]
    assert rival.kind == "database_cpu"
    assert rival.experiment is not None
    assert "--probe postgres" in rival.experiment


def test_a_busy_database_on_unseen_cores_keeps_a_full_pool_from_being_sure() -> None:
    """It used 0.88 of a core: that may be all of the one it runs on."""
    stack = _without(labelled.database_cpu(), "host")
    finding = _found(replace(stack, signals={**stack.signals, **POOL_FULL}))
    assert (finding.kind, finding.confidence) == ("connection_pool", "medium")
    rival = finding.alternatives[0]
    assert (rival.kind, rival.resource) == ("database_cpu", DB)
    assert rival.experiment is not None
    assert "--probe host" in rival.experiment


def test_connections_that_wait_for_locks_are_said_to() -> None:
    """The pool is full because its connections wait for each other."""
    stack = labelled.connection_pool()
    locks = {(DB, "postgres", "waiting_lock", "count"): at_most(9)}
    finding = _found(replace(stack, signals={**stack.signals, **locks}))
    assert finding.kind == "connection_pool"
    assert any("waited for a lock" in row.says for row in finding.evidence)
    assert "locks" in (finding.remedy or "")


def test_a_busy_loop_that_waits_for_a_core_is_not_the_limit() -> None:
    """Utilisation of the loop counts waiting for a core: the database has it."""
    stack = labelled.database_cpu()
    starved = {
        (NODE, "node", "loop_utilisation", "share"): lambda did: min(0.97, did.completed / 200),
    }
    finding = _found(replace(stack, signals={**stack.signals, **starved}))
    assert finding.kind == "database_cpu"


def test_two_full_resources_are_an_open_question() -> None:
    """A loop and a database fill up at the same load, on a core each: "A or B"."""
    stack = labelled.event_loop()
    both: dict[Key, object] = {
        (HOST, "host", "cpu{core=0}", "share"): share(182),
        (DB, "postgres", "cpu", "cores"): share(184),
    }
    finding = _found(replace(stack, signals={**stack.signals, **both}))  # type: ignore[dict-item]
    assert finding.confidence == "low"
    assert {finding.kind, finding.alternatives[0].kind} == {"event_loop", "database_cpu"}
    assert finding.alternatives[0].experiment


def test_of_two_full_resources_the_one_whose_queue_rose_first_leads() -> None:
    """The database's queue rose at a lighter load than the loop's."""
    stack = labelled.event_loop()
    both: dict[Key, object] = {
        (HOST, "host", "cpu{core=0}", "share"): share(182),
        (DB, "postgres", "cpu", "cores"): share(184),
        (DB, "postgres", "active", "count"): lambda did: 1.0 if did.offered < 100 else 20.0,
        (LISTEN, "listen", "unread_connections", "connections"): (
            lambda did: 0.0 if did.offered < 150 else did.in_system
        ),
    }
    finding = _found(replace(stack, signals={**stack.signals, **both}))  # type: ignore[dict-item]
    assert finding.kind == "database_cpu"
    assert [one.kind for one in finding.alternatives][:1] == ["event_loop"]


def test_overflows_in_front_of_a_full_loop_are_a_symptom() -> None:
    """Nobody was refused: the answers were late, and the loop is why."""
    stack = labelled.event_loop()
    kernel = {(LISTEN, "listen", "listen_overflows", "1/s"): lambda did: did.in_system / 10}
    finding = _found(replace(stack, signals={**stack.signals, **kernel}))
    assert finding.kind == "event_loop"


def test_workers_that_compute_are_no_waiting_workers() -> None:
    """All of them are busy, and so is the core."""
    finding = _found(labelled.cpu_workers())
    assert finding.kind == "cpu_workers"
    assert "io_workers" not in {one.kind for one in finding.alternatives}


def test_a_quota_is_the_limit_of_its_group() -> None:
    """Half a core is all there is, on a host that is idle."""
    group = "cgroup:/shop.slice"
    stack = replace(
        labelled.event_loop(),
        signals={
            (HOST, "host", "cpu", "share"): level(0.3),
            (group, "cgroup", "cpu", "cores"): lambda did: min(0.5, 0.5 * did.completed / 182),
            (group, "cgroup", "quota", "cores"): level(0.5),
            (group, "cgroup", "cpu_pressure", "share"): lambda did: min(1.0, did.in_system / 20),
        },
    )
    finding = _found(stack)
    assert (finding.kind, finding.resource) == ("cpu_workers", group)


def test_a_throttled_group_is_named() -> None:
    """Periods in which it was held back, also where the quota itself was not read."""
    group = "cgroup:/shop.slice"
    held_back = {(group, "cgroup", "throttled_periods", "share"): lambda did: did.completed / 400}
    finding = _found(replace(labelled.event_loop(), signals=held_back))
    assert (finding.kind, finding.resource) == ("cpu_workers", group)


def test_a_full_core_that_no_program_explains_is_an_open_question() -> None:
    """Only the host was probed: some program was full, which one is not known."""
    stack = labelled.event_loop()
    host = {key: of for key, of in stack.signals.items() if key[1] == "host"}
    finding = _found(replace(stack, signals=host))
    assert (finding.kind, finding.confidence) == ("cpu_workers", "low")
    assert any("--probe process:NAME" in sentence for sentence in finding.missing)


def test_waiting_workers_are_inferred_where_the_cpu_is_known_to_be_idle() -> None:
    """By Little's law: about five at once, whatever they are."""
    stack = labelled.io_workers()
    host = {key: of for key, of in stack.signals.items() if key[1] in ("host", "process")}
    finding = _found(replace(stack, signals=host, hold_s=8.0, loads=(20, 40, 60, 75, 130)))
    assert (finding.kind, finding.confidence) == ("io_workers", "low")
    at_once = next(row.value for row in finding.evidence if row.signal == "client X·W")
    assert at_once == pytest.approx(5.0, rel=0.15)


def test_a_collector_that_nobody_looked_at_is_an_alternative() -> None:
    """A full Python program may be collecting garbage for all that is known."""
    python = "process:python3"
    stack = labelled.event_loop()
    program = {
        key: of for key, of in stack.signals.items() if key[0] not in (PROCESS, NODE, LISTEN)
    }
    program[(python, "process", "cpu", "cores")] = lambda did: did.completed / 182
    finding = _found(replace(stack, signals=program))
    assert (finding.kind, finding.resource) == ("cpu_workers", python)
    assert "garbage_collection" in {one.kind for one in finding.alternatives}


def test_the_generator_on_a_shared_core_is_suspected() -> None:
    """It used most of the core that was full."""
    stack = labelled.event_loop()
    crowded = {
        (HOST, "host", "cpu", "share"): level(0.5),
        (HOST, "host", "cpu{core=0}", "share"): level(0.97),
        (HOST, "host", "cpu{core=1}", "share"): level(0.2),
        (PROCESS, "process", "cpu", "cores"): level(0.15),
    }

    def busy(step: StepRecord) -> StepRecord:
        return replace(step, generator=replace(step.generator, cpu_share=0.9))

    finding = _found(replace(stack, signals=crowded, change=busy))
    assert (finding.kind, finding.confidence) == ("generator", "low")


def test_a_generator_that_spins_fills_its_core_on_purpose() -> None:
    """It was asked to."""
    stack = labelled.event_loop()
    spinning = {(HOST, "host", "cpu", "share"): level(0.5)} | {
        (HOST, "host", f"cpu{{core={core}}}", "share"): level(busy)
        for core, busy in enumerate((0.97, 0.2))
    }

    def busy_step(step: StepRecord) -> StepRecord:
        return replace(step, generator=replace(step.generator, cpu_share=0.95))

    plan = {**stack.plan, "spin": True}
    finding = _found(replace(stack, signals=spinning, change=busy_step, plan=plan))
    assert finding.kind == "not_observed"


def test_programs_that_nobody_probed_are_not_the_service() -> None:
    """Two cores full, of which the service used a fifth: something else runs there."""
    crowded = {
        (HOST, "host", "cpu", "share"): level(0.99),
        (HOST, "host", "cores", "count"): level(2.0),
        (PROCESS, "process", "cpu", "cores"): level(0.4),
    }
    finding = _found(replace(labelled.event_loop(), signals=crowded))
    assert (finding.kind, finding.resource, finding.confidence) == ("host_noise", HOST, "low")
    assert "nobody probed" in finding.says


def test_a_core_that_was_full_at_light_load_makes_nothing_sure() -> None:
    """Others had it before the load came: most of it is the database's, but not all."""
    crowded = {(HOST, "host", "cpu{core=0}", "share"): level(0.99)}
    stack = labelled.database_cpu()
    finding = _found(replace(stack, signals={**stack.signals, **crowded}))
    assert (finding.kind, finding.resource, finding.confidence) == ("database_cpu", DB, "medium")


def test_the_programs_of_a_machine_fill_that_machine_only() -> None:
    """A database that is full on its own machine, seen by its agent; the app's machine is idle."""
    there = {
        ("db1/host", "host", "cpu", "share"): share(182),
        ("db1/process:postgres", "process", "cpu", "cores"): lambda did: did.completed / 46,
        (HOST, "host", "cpu", "share"): level(0.3),
        (PROCESS, "process", "cpu", "cores"): level(0.2),
    }
    finding = _found(replace(labelled.event_loop(), signals=there, cores=2))
    assert (finding.kind, finding.resource) == ("database_cpu", "db1/process:postgres")


def test_nothing_is_explained_that_did_not_break() -> None:
    """Light loads only."""
    finding = _found(replace(labelled.event_loop(), loads=(20.0, 40.0)))
    assert (finding.kind, finding.remedy) == ("not_observed", None)
    assert "did not break" in finding.says


def test_without_probes_it_says_what_to_add() -> None:
    """A target on this machine can be found by itself; each open question has its probe."""
    finding = _found(labelled.no_probes())
    assert finding.missing[0].startswith("--probe auto")
    assert any("--probe host" in sentence for sentence in finding.missing)
    assert any("--probe listen:PORT" in sentence for sentence in finding.missing)


def test_what_was_looked_at_is_not_missing() -> None:
    """With the workers' own status page nobody is asked for one."""
    missing = _found(labelled.io_workers()).missing
    assert not any("workers or connections ran out" in sentence for sentence in missing)
    assert any("listen:PORT" in sentence for sentence in missing)


def test_signals_with_names_of_their_own_are_no_evidence_but_were_sampled() -> None:
    """No rule knows what they mean; that nothing was sampled would be untrue."""
    own = {("json:http://x", "json", "queue.length", ""): level(5_000.0)}
    finding = _found(replace(labelled.event_loop(), signals=own))
    assert finding.kind == "not_observed"
    assert "none of the signals" in finding.says
    assert not any("delivered nothing" in sentence for sentence in finding.missing)


def test_a_probe_that_never_answered_is_reported() -> None:
    """With what it said."""
    state = ProbeState(FPM, "php-fpm", 0, 12, None, "connection refused")
    observed = replace(labelled.no_probes().observed(), states=(state,))
    assert f"--probe {FPM} delivered nothing in any step: connection refused" in (
        diagnose(observed).missing
    )
