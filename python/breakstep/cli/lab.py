"""`breakstep lab`: real stacks, and experiments on them whose outcome is known."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from breakstep.cli.exits import ANSWERED, INTERRUPTED, MISSED, NO_ANSWER, reported
from breakstep.lab import catalog
from breakstep.lab.bring_up import bring_up, down
from breakstep.lab.ending import ended_politely
from breakstep.lab.made import LabResult
from breakstep.lab.run import run_all
from breakstep.lab.setup import set_up
from breakstep.session.around import default_out, new_run

lab = typer.Typer(
    name="lab",
    help="Real stacks on this machine, and experiments on them whose outcome is known.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)


@lab.command("list")
def list_() -> None:
    """Show every experiment with what it shows."""
    for name in catalog.names():
        experiment = catalog.load(name)
        typer.echo(f"{name:<22} {experiment.title}\n{'':<22} {experiment.shows}")


@lab.command()
def setup() -> None:
    """Install what the labs need."""
    with reported():
        set_up(_say)


@lab.command()
def up(
    name: Annotated[str, typer.Argument(help="An experiment, such as php/exp1.")],
    *,
    run: Annotated[
        str | None,
        typer.Option(metavar="KEY", help="Which of its runs; the first.", show_default=False),
    ] = None,
) -> None:
    """Put an experiment's stack up and keep it until Ctrl-C or `lab down`."""
    with _ended():
        bring_up(name, run, _say)


@lab.command("run")
def run_(
    names: Annotated[
        list[str],
        typer.Argument(metavar="NAME...", help="Experiments, a group such as single, or all."),
    ],
    *,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where the files go; by default breakstep-runs/ID."),
    ] = None,
) -> None:
    """Carry experiments out. 0 if every truth held, 99 if one was missed, 3 if undecided."""
    with _ended():
        results = run_all(names, out or default_out(new_run()), _say)
    raise typer.Exit(_exit_code(results))


@lab.command("down")
def down_() -> None:
    """Stop every lab of this user that is up, and clean up after those that were killed."""
    with reported():
        down(_say)


@contextmanager
def _ended() -> Iterator[None]:
    try:
        with reported(), ended_politely():
            yield
    except KeyboardInterrupt:
        _say("interrupted: every server of this lab is stopped")
        raise typer.Exit(INTERRUPTED) from None


def _exit_code(results: Sequence[LabResult]) -> int:
    oks = [one.held.ok for result in results for one in result.judged]
    if False in oks:
        return MISSED
    return NO_ANSWER if None in oks else ANSWERED


def _say(line: str) -> None:
    typer.echo(line, err=True)
