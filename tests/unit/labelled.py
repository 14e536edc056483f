"""Virtual stacks of which the bottleneck is known, with the signals their probes would deliver."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from stacks import Stack, at_most, cores, level, share, waiting

from breakstep.model.record import Check, StepRecord, Trust, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from stacks import Did, Key

NODE, DB, HOST = "node:127.0.0.1:9464", "postgres:127.0.0.1", "host"
PROCESS, LISTEN, FPM = "process:node", "listen:8080", "php-fpm:127.0.0.1:9000"

# One server of 5.5 ms holds 182/s; ten connections of 23 ms 435/s; a query of 5 ms of CPU 200/s.
ONE_LOOP = {"servers": "1", "service": "constant:5.5ms"}
LOOP_LOADS = (40.0, 80.0, 110.0, 140.0, 160.0, 200.0)
QUERY = {"servers": "1", "service": "constant:5ms"}
QUERY_LOADS = (40.0, 80.0, 120.0, 150.0, 175.0, 215.0)
POOL = {"servers": "10", "service": "constant:23ms"}
POOL_LOADS = (100.0, 200.0, 280.0, 340.0, 400.0, 470.0)
FIVE_WORKERS = {"servers": "5", "service": "constant:50ms"}
WORKER_LOADS = (20.0, 40.0, 60.0, 75.0, 90.0, 120.0)


def event_loop() -> Stack:
    """`pbkdf2Sync` in one Node process on two cores, the database asleep."""
    return Stack(
        ONE_LOOP,
        LOOP_LOADS,
        {
            (HOST, "host", "cpu", "share"): lambda did: 0.05 + 0.5 * min(1, did.completed / 182),
            (HOST, "host", "cpu{core=0}", "share"): level(0.1),
            (HOST, "host", "cpu{core=1}", "share"): share(182),
            (PROCESS, "process", "cpu", "cores"): cores(0.0055),
            (PROCESS, "process", "busiest_thread", "cores"): cores(0.0054),
            (NODE, "node", "loop_utilisation", "share"): share(182),
            (NODE, "node", "loop_delay_p99", "ms"): lambda did: 6.0 + did.in_system,
            (NODE, "node", "in_flight", "count"): level(1.0),
            (LISTEN, "listen", "unread_connections", "connections"): waiting(1),
            (LISTEN, "listen", "accept_queue", "connections"): level(0.0),
            (LISTEN, "listen", "accept_queue_limit", "connections"): level(511.0),
        },
    )


def database_cpu() -> Stack:
    """A heavy query: the database's core is full, the loop half idle, the pool's queue long."""
    return Stack(
        QUERY,
        QUERY_LOADS,
        {
            (HOST, "host", "cpu", "share"): lambda did: min(0.85, 0.05 + 0.8 * did.completed / 200),
            (HOST, "host", "cpu{core=0}", "share"): lambda did: min(0.98, did.completed / 200),
            (HOST, "host", "cpu{core=1}", "share"): lambda did: 0.6 * did.completed / 200,
            (PROCESS, "process", "cpu", "cores"): lambda did: 0.6 * did.completed / 200,
            (PROCESS, "process", "busiest_thread", "cores"): lambda did: 0.5 * did.completed / 200,
            (NODE, "node", "loop_utilisation", "share"): lambda did: 0.55 * did.completed / 200,
            (NODE, "node", "pool_busy{pool=pg}", "count"): at_most(10),
            (NODE, "node", "pool_size{pool=pg}", "count"): level(10.0),
            (NODE, "node", "pool_waiting{pool=pg}", "count"): waiting(10),
            (DB, "postgres", "cpu", "cores"): lambda did: min(0.88, 0.89 * did.completed / 200),
            (DB, "postgres", "active", "count"): at_most(10),
            (DB, "postgres", "transactions", "1/s"): lambda did: did.completed,
        },
    )


def connection_pool() -> Stack:
    """`pg_sleep` behind a pool of ten."""
    return Stack(
        POOL,
        POOL_LOADS,
        {
            (HOST, "host", "cpu", "share"): lambda did: 0.05 + 0.3 * did.completed / 435,
            (HOST, "host", "cpu{core=0}", "share"): lambda did: 0.4 * did.completed / 435,
            (HOST, "host", "cpu{core=1}", "share"): lambda did: 0.5 * did.completed / 435,
            (PROCESS, "process", "cpu", "cores"): lambda did: 0.5 * did.completed / 435,
            (PROCESS, "process", "busiest_thread", "cores"): lambda did: 0.4 * did.completed / 435,
            (NODE, "node", "loop_utilisation", "share"): lambda did: 0.5 * did.completed / 435,
            (NODE, "node", "pool_busy{pool=pg}", "count"): at_most(10),
            (NODE, "node", "pool_size{pool=pg}", "count"): level(10.0),
            (NODE, "node", "pool_waiting{pool=pg}", "count"): waiting(10),
            (DB, "postgres", "cpu", "cores"): lambda did: 0.3 * did.completed / 435,
            (DB, "postgres", "active", "count"): at_most(10),
            (DB, "postgres", "transactions", "1/s"): lambda did: did.completed,
        },
    )


def cpu_workers() -> Stack:
    """php-fpm whose workers compute, all on one core of two."""
    workers = "process:php-fpm"
    return Stack(
        {"servers": "1", "service": "exponential:6.7ms", "discipline": "ps"},
        (20.0, 50.0, 80.0, 110.0, 135.0, 180.0),
        {
            (HOST, "host", "cpu", "share"): lambda did: 0.05 + 0.5 * min(1, did.completed / 149),
            (HOST, "host", "cpu{core=0}", "share"): level(0.12),
            (HOST, "host", "cpu{core=1}", "share"): share(149),
            (workers, "process", "cpu", "cores"): cores(0.0066),
            (workers, "process", "busiest_thread", "cores"): cores(0.0011),
            (workers, "process", "run_delay", "tasks"): waiting(1),
            (FPM, "php-fpm", "active", "processes"): at_most(20),
            (FPM, "php-fpm", "workers", "processes"): level(20.0),
            (FPM, "php-fpm", "queue", "connections"): waiting(20),
            (FPM, "php-fpm", "queue_limit", "connections"): level(511.0),
        },
    )


def io_workers() -> Stack:
    """php-fpm with five workers that wait for `pg_sleep`."""
    workers = "process:php-fpm"
    return Stack(
        FIVE_WORKERS,
        WORKER_LOADS,
        {
            (HOST, "host", "cpu", "share"): level(0.15),
            (HOST, "host", "cpu{core=0}", "share"): level(0.12),
            (HOST, "host", "cpu{core=1}", "share"): lambda did: 0.2 * did.completed / 100,
            (workers, "process", "cpu", "cores"): lambda did: 0.2 * did.completed / 100,
            (workers, "process", "busiest_thread", "cores"): lambda did: 0.05 * did.completed / 100,
            (FPM, "php-fpm", "active", "processes"): at_most(5),
            (FPM, "php-fpm", "workers", "processes"): level(5.0),
            (FPM, "php-fpm", "accepted", "1/s"): lambda did: did.completed,
            (FPM, "php-fpm", "queue", "connections"): waiting(5),
            (FPM, "php-fpm", "queue_limit", "connections"): level(511.0),
            (DB, "postgres", "cpu", "cores"): level(0.05),
            (DB, "postgres", "active", "count"): at_most(5),
            (DB, "postgres", "transactions", "1/s"): lambda did: did.completed,
        },
    )


def config_error() -> Stack:
    """120 workers, 100 connections: one request in six fails at every load."""
    return Stack(
        {"servers": "20", "service": "constant:10ms", "errors": "16.7%"}, (50.0, 100.0, 150.0)
    )


def backlog_overflow() -> Stack:
    """A short accept queue in front of workers that wait: bursts are refused with 502."""
    kernel = {
        (LISTEN, "listen", "listen_overflows", "1/s"): lambda did: max(0.0, did.offered - 160.0),
        (LISTEN, "listen", "accept_queue", "connections"): waiting(5),
        (LISTEN, "listen", "accept_queue_limit", "connections"): level(8.0),
    }
    return _short_backlog(kernel)


def backlog_unix() -> Stack:
    """The same behind a unix socket, which nobody can look into."""
    blind = {
        (FPM, "php-fpm", "queue", "connections"): level(0.0),
        (FPM, "php-fpm", "queue_limit", "connections"): level(0.0),
    }
    return _short_backlog(blind)


def congestion_collapse() -> Stack:
    """Four servers of 20 ms whose front gives up after 300 ms while the work goes on."""
    return Stack(
        {"servers": "4", "service": "constant:20ms", "give_up": "300ms"},
        (80.0, 120.0, 160.0, 185.0, 240.0, 320.0),
        {("process:breakstep", "process", "cpu", "cores"): level(0.2)},
        hold_s=8.0,
    )


def garbage_collection() -> Stack:
    """A Go program that allocates in its hot path."""
    go, program = "go:http://127.0.0.1:6060/debug/vars", "process:shop"
    return Stack(
        ONE_LOOP,
        LOOP_LOADS,
        {
            (HOST, "host", "cpu", "share"): lambda did: 0.05 + 0.5 * min(1, did.completed / 182),
            (HOST, "host", "cpu{core=0}", "share"): level(0.1),
            (HOST, "host", "cpu{core=1}", "share"): share(182),
            (program, "process", "cpu", "cores"): cores(0.0055),
            (program, "process", "busiest_thread", "cores"): cores(0.003),
            (program, "process", "run_delay", "tasks"): waiting(1),
            (go, "go", "gc", "share"): lambda did: 0.35 * min(1, did.completed / 182),
            (go, "go", "gc_assist", "cores"): lambda did: 0.1 * did.completed / 182,
            (go, "go", "gomaxprocs", "count"): level(1.0),
        },
    )


def generator() -> Stack:
    """A hog on the generator's core: every step was invalid."""
    says = "others used 93 % of core 0, the generator's own: move them off it"
    lag = "5 % of requests left at least 31 ms late through the generator's own lag"
    checks = (
        Check("core_shared", 0.93, 0.5, "invalid", says),
        Check("lag_of_p95<100ms", 31.0, 20.0, "invalid", lag),
    )
    return _distrusted(checks)


def host_noise() -> Stack:
    """Stalls of the whole machine: the wake-up probe was late, and so was the generator."""
    says = "5 % of wake-ups came at least 42 ms late, 42 % of the bound of 100 ms"
    lag = "5 % of requests left at least 41 ms late through the generator's own lag"
    checks = (
        Check("wakeups", 42.0, 20.0, "invalid", says),
        Check("lag_of_p95<100ms", 41.0, 20.0, "invalid", lag),
    )
    return _distrusted(checks)


def stalls() -> Stack:
    """A service that stands still for 400 ms every 4 s, at any load."""
    idle = {(HOST, "host", "cpu", "share"): level(0.2)}
    return Stack(
        {"servers": "8", "service": "constant:20ms", "stall": "400ms/4s"},
        (40.0, 80.0, 120.0),
        idle,
        hold_s=8.0,
    )


def no_probes() -> Stack:
    """The loop again, with nobody looking."""
    return replace(event_loop(), signals={})


def _distrusted(checks: tuple[Check, ...]) -> Stack:
    trust = Trust("invalid", checks)

    def invalid(step: StepRecord) -> StepRecord:
        verdict = Verdict("invalid", (), tuple(check.says for check in checks))
        return replace(step, verdict=verdict, trust=trust)

    return replace(event_loop(), change=invalid, trust=trust, status="untrusted")


def _short_backlog(signals: Mapping[Key, Callable[[Did], float]]) -> Stack:
    """Five workers of 20 ms hold 250/s; bursts overflow a queue of eight long before."""
    quick = {"servers": "5", "service": "constant:20ms", "queue": "8"}
    return replace(
        io_workers(),
        flags=quick,
        loads=(40.0, 80.0, 120.0, 150.0, 200.0, 300.0),
        signals={**io_workers().signals, **signals},
        change=_refused,
    )


def _refused(step: StepRecord) -> StepRecord:
    """Some refused at once from 160/s on, more the higher the load; the others in time."""
    if step.offered_per_s < 160.0:
        return step
    refused = round(step.arrivals * 0.0006 * step.offered_per_s)
    ok = step.arrivals - refused
    outcomes = {**step.outcomes, "ok": ok, "http_error": refused}
    return replace(
        step,
        ok=ok,
        outcomes=outcomes,
        statuses={200: ok, 502: refused},
        goodput_per_s=ok / (step.window_to - step.window_from),
        queue="stable",
        verdict=replace(step.verdict, name="fail"),
    )
