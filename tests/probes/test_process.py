"""The process probe, on processes whose use is known."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakstep.lab.servers.process import free_port
from breakstep.model.errors import ProbeError
from breakstep.probe.local_listeners import listeners_at
from breakstep.probe.process_files import (
    ThreadStatus,
    parse_process_stat,
    parse_schedstat,
    parse_thread_status,
)
from breakstep.probe.reading import Probe
from probes.watching import burn, during, eventually, now, probing

PRELUDE = """
import ctypes, hashlib, os, resource, signal, sys, threading, time
def burn(length_s):
    end_s = time.thread_time() + length_s
    while time.thread_time() < end_s:
        pass
def hash(length_s):
    end_s = time.thread_time() + length_s
    while time.thread_time() < end_s:
        hashlib.pbkdf2_hmac("sha256", b"x", b"y", 2000)
def forked():
    parent = os.getpid()
    if child := os.fork():
        return child
    # The child goes when its parent does.
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    return os.getppid() != parent and os._exit(0)
def children_used():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
def told():
    print(flush=True)
    sys.stdin.readline()
"""
"""What the scripts share; `told` says that they are ready, and waits for a line."""


@contextmanager
def python(script: str, name: str = "python3") -> Iterator["Scripted"]:
    """A process that runs a script, started as `name`, ready at its first `told`."""
    with subprocess.Popen(
        [name, "-c", PRELUDE + script],
        executable=sys.executable,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        scripted = Scripted(process)
        try:
            scripted.heard()
            yield scripted
        finally:
            process.kill()


class Scripted:
    """A running script."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.pid = process.pid

    def go(self) -> None:
        """Lets it go on."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def tell(self) -> str:
        """Lets it go on, and returns what it says then."""
        self.go()
        return self.heard()

    def heard(self) -> str:
        """Its next line."""
        assert self.process.stdout is not None
        return self.process.stdout.readline()


def used(probe: Probe, act: "Scripted") -> tuple[Mapping[str, float], str]:
    """What every counter grew by while the script went on, and what it said in the end."""
    before = now(probe)
    said = act.tell()
    after = now(probe)
    return {name: value - before.get(name, 0.0) for name, value in after.items()}, said


def test_cpu_is_what_a_process_used() -> None:
    """To the hundredth of a second."""
    with python("told(); burn(0.4); told()") as script, probing(f"process:{script.pid}") as probe:
        grown, _ = used(probe, script)
    assert grown["cpu"] == pytest.approx(0.4, abs=0.03)
    assert grown["busiest_process"] == pytest.approx(grown["cpu"])
    assert grown["busiest_thread"] == pytest.approx(grown["cpu"], abs=0.02)


def test_the_busiest_thread_is_told_from_the_process() -> None:
    """Three threads work at once; the sum is of all, the busiest is one."""
    script = """
done = threading.Barrier(4)
def work(use):
    hash(use)
    done.wait()
    time.sleep(60)
threads = [threading.Thread(target=work, args=(use,), daemon=True) for use in (0.1, 0.2, 0.3)]
told()
[thread.start() for thread in threads]
done.wait()
told()
"""
    with python(script) as workers, probing(f"process:{workers.pid}") as probe:
        grown, _ = used(probe, workers)
    assert grown["cpu"] == pytest.approx(0.6, abs=0.05)
    assert grown["busiest_thread"] == pytest.approx(0.3, abs=0.03)
    assert grown["threads"] == 3


CHILDREN = """
told()
for turn in range(30):
    if not (child := forked()):
        burn(0.02)
        os._exit(0)
    os.waitpid(child, 0)
print(children_used(), flush=True)
told()
"""


def test_what_children_used_that_came_and_went_between_two_looks_is_counted() -> None:
    """Thirty children of 20 ms each, waited for: nothing is lost, nothing is counted twice."""
    with python(CHILDREN) as parent, probing(f"process:{parent.pid}") as probe:
        grown, said = used(probe, parent)
    assert grown["cpu"] == pytest.approx(float(said), abs=0.05)
    assert float(said) > 0.55


def test_what_children_used_is_the_same_however_often_one_looks() -> None:
    """Some looks fall into a child's life, some between; the sum is the same and never falls."""
    with python(CHILDREN) as parent, probing(f"process:{parent.pid}") as probe:
        sums = [now(probe)["cpu"]]
        with ThreadPoolExecutor(1) as pool:
            said = pool.submit(parent.tell)
            while not said.done():
                sums.append(now(probe)["cpu"])
                time.sleep(0.007)
        sums.append(now(probe)["cpu"])
    assert len(sums) > 30
    assert sums == sorted(sums)
    assert sums[-1] - sums[0] == pytest.approx(float(said.result()), abs=0.08)


def test_children_that_nobody_waits_for_cost_their_last_moments_only() -> None:
    """With SIGCHLD ignored a parent inherits nothing: the sum is a bit less, and never falls."""
    script = """
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
if not forked():
    burn(0.3)
    told()
    os._exit(0)
time.sleep(60)
"""
    with python(script) as parent, probing(f"process:{parent.pid}") as probe:
        before = now(probe)
        assert before["processes"] == 2
        parent.go()
        assert eventually(lambda: now(probe)["processes"] == 1)
        assert now(probe)["cpu"] >= before["cpu"]


def test_descendants_stay_when_their_parent_ends() -> None:
    """A grandchild whose parent is gone, and that the kernel gave to another, is still counted."""
    script = """
told()
if not forked():
    if not os.fork():
        told()
        burn(0.2)
        told()
        os._exit(0)
    time.sleep(0.3)
    os._exit(0)
os.wait()
time.sleep(60)
"""
    with python(script) as parent, probing(f"process:{parent.pid}") as probe:
        parent.tell()
        assert now(probe)["processes"] == 3
        assert eventually(lambda: now(probe)["processes"] == 2)
        grown, _ = used(probe, parent)
        parent.go()
        assert eventually(lambda: now(probe)["processes"] == 1)
    assert grown["cpu"] == pytest.approx(0.2, abs=0.03)


def test_running_are_those_that_are_not_asleep() -> None:
    """Three of five children work."""
    script = """
for turn in range(5):
    if not forked():
        while turn < 3:
            pass
        time.sleep(60)
told()
"""
    with python(script) as parent, probing(f"process:{parent.pid}") as probe:
        assert eventually(lambda: now(probe)["running"] == 3)
        assert now(probe)["processes"] == 6


def test_a_name_is_what_the_kernel_knows_or_what_a_process_calls_itself() -> None:
    """With all of that name, and none else."""
    own = f"bs{os.getpid()}"
    renamed = f"open('/proc/self/comm', 'w').write('{own}'); told()"
    with (
        python("told()", f"/opt/{own}"),
        python("told()", f"{own}: worker"),
        python(renamed),
        python("told()", f"{own}x"),
        probing(f"process:{own}") as probe,
    ):
        assert now(probe)["processes"] == 3


def test_a_name_is_followed_over_a_restart() -> None:
    """While nobody has it reading fails, and says so; the sum goes on where it stood."""
    own = f"bs{os.getpid()}"
    with python("told()", own), probing(f"process:{own}") as probe:
        before = now(probe)["cpu"]
    with pytest.raises(ProbeError, match="no process is called"):
        probe.read()
    with python("told(); burn(0.2); told()", own) as script:
        script.tell()
        assert now(probe)["cpu"] - before > 0.2


def test_nobody_of_that_name_is_an_error_that_says_where_to_look() -> None:
    """A name and an id; our own is none to look at."""
    with pytest.raises(ProbeError, match="no process is called 'ngnix'"), probing("process:ngnix"):
        pass
    for pid in (2**22 + 1, os.getpid()):
        said = f"process {pid} is not there"
        with pytest.raises(ProbeError, match=said), probing(f"process:{pid}"):
            pass


def test_we_are_no_part_of_what_we_look_at() -> None:
    """Though the process that started us is."""
    with probing(f"process:{os.getppid()}") as probe:
        values = during(probe, lambda: burn(0.3))
        names = now(probe)
    assert values["cpu"] < 0.5
    assert not [name for name in names if name.endswith(f"-{os.getpid()}}}")]


def test_waiting_for_a_core_and_giving_way_are_told_apart() -> None:
    """Two that share a core wait for one another by turns; one that sleeps gives way by choice."""
    script = f"""
os.sched_setaffinity(0, [{min(os.sched_getaffinity(0))}])
for turn in range(2):
    if not forked():
        while True:
            pass
told()
"""
    with python(script) as parent, probing(f"process:{parent.pid}") as probe:
        busy = during(probe, lambda: time.sleep(1.0))
    assert busy["run_delay"] > 0.8
    assert busy["switches_forced"] > 5
    with python("told()\nwhile True: time.sleep(0.005)") as sleeper:
        sleeper.go()
        with probing(f"process:{sleeper.pid}") as probe:
            calm = during(probe, lambda: time.sleep(0.5))
    assert calm["switches"] > 40
    assert calm["switches"] > calm["switches_forced"]


def test_memory_and_descriptors_are_counted() -> None:
    """Fifty megabytes and thirty files more."""
    script = "told(); held = b'x' * 50_000_000, [open(os.devnull) for _ in range(30)]; told()"
    with python(script) as one, probing(f"process:{one.pid}") as probe:
        grown, _ = used(probe, one)
    assert grown["memory"] == pytest.approx(50e6, rel=0.1)
    assert grown["descriptors"] == 30


def test_a_name_may_hold_anything() -> None:
    """It becomes a label without what would end it."""
    script = "open('/proc/self/comm', 'w').write('x) R {a=1,'); told(); burn(0.1); told()"
    with python(script) as one, probing(f"process:{one.pid}") as probe:
        grown, _ = used(probe, one)
    assert f"cpu{{process=x_ R _a_1_-{one.pid}}}" in grown


def test_the_files_of_a_process_are_read_as_they_are() -> None:
    """In nanoseconds and bytes."""
    stat = parse_process_stat(
        b"7 (a) R 1) S 3 7 7 0 -1 4 1 0 0 0 20 10 5 1 20 0 4 0 900 9999 6 184467 1 1 0 0"
    )
    assert (stat.name, stat.state, stat.parent, stat.threads) == ("a) R 1", "S", 3, 4)
    assert (stat.own_ns, stat.ended_ns, stat.started) == (300_000_000, 60_000_000, 900)
    assert stat.resident_bytes == 6 * os.sysconf("SC_PAGE_SIZE")
    assert parse_schedstat(b"500 20 3\n") == (500, 20)
    status = b"Name:\tworker\nState:\tD (disk sleep)\nvoluntary_ctxt_switches:\t9\n"
    assert parse_thread_status(status) == ThreadStatus("worker", "D", 9, 0)


@given(st.binary(max_size=300))
def test_no_bytes_are_too_odd_to_read(data: bytes) -> None:
    """They give numbers or a ValueError, and nothing else."""
    for parse in (parse_process_stat, parse_schedstat, parse_thread_status):
        with suppress(ValueError):
            parse(data)


def refusal(probe: Probe) -> str:
    """Why it cannot be read; empty if it can."""
    try:
        probe.read()
    except ProbeError as error:
        return str(error)
    return ""


def test_whoever_listens_on_a_port_is_found_and_followed_over_a_restart() -> None:
    """With its children, whatever it is called; the sum goes on where it stood."""
    port = free_port()
    serve = f"""
import socket
server = socket.create_server(("127.0.0.1", {port}))
forked() or time.sleep(60)
told()
burn(0.2)
told()
"""
    with python(serve) as first, probing(f"process:listen:{port}") as probe:
        assert now(probe)["processes"] == 2
        grown, _ = used(probe, first)
        assert grown["cpu"] == pytest.approx(0.2, abs=0.03)
        before = now(probe)["cpu"]
    assert eventually(lambda: not listeners_at(str(port)))
    assert eventually(lambda: f"nobody listens at {port}" in refusal(probe))
    with python(serve) as second:
        second.tell()
        assert now(probe)["processes"] == 2
        assert now(probe)["cpu"] - before > 0.2
