"""Every fault of a load-model file is told at once, with its line and its remedy."""

from contextlib import suppress
from pathlib import Path

import pytest
from files import TARGET, Files
from hypothesis import given
from hypothesis import strategies as st

from breakstep.model.errors import PlanError
from breakstep.plan.faults import Faults
from breakstep.plan.file import SIZE_MAX, read_file
from breakstep.plan.reading import FAULTS_MAX
from breakstep.plan.scenarios import BODY_MAX
from breakstep.plan.tree import DEPTH_MAX, parse_tree


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """A place for a file."""
    return Files(tmp_path)


TEN_FAULTS = """\
target:
  url: http://127.0.0.1:8080/
  cacert: nowhere.pem
requests:
  - name: home
    wieght: 3
  - name: home
    path: no-slash
slo:
  - p95<fast
  - hmoe: p95<1s
load:
  hold: 10
  hold: 5s
  seed: many
  steps: [100, 50]
  arrivals: bursty
plan:
  headroom: 7
"""


def test_ten_faults_are_listed_at_once_each_with_its_line(files: Files) -> None:
    """Of the shape and of the meaning alike, in the order of the file."""
    places = [tuple(fault.split(": ")[:2]) for fault in files.faults(TEN_FAULTS)]
    assert places == [
        ("breakstep.yaml:3:11", "target.cacert"),
        ("breakstep.yaml:5:5", "'home' names 2 requests"),
        ("breakstep.yaml:6:5", "requests[0].wieght"),
        ("breakstep.yaml:8:11", "requests[1].path"),
        ("breakstep.yaml:10:5", "slo[0]"),
        ("breakstep.yaml:11:5", "hmoe"),
        ("breakstep.yaml:13:9", "load.hold"),
        ("breakstep.yaml:14:3", "load.hold"),
        ("breakstep.yaml:15:9", "load.seed"),
        ("breakstep.yaml:16:11", "load.steps"),
        ("breakstep.yaml:17:13", "load.arrivals"),
        ("breakstep.yaml:19:13", "plan.headroom"),
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("load: {wamup: 2s}", "breakstep.yaml:2:8: load.wamup: there is no such key; did you mean"),
        ("laod: {}", "breakstep.yaml:2:1: laod: there is no such key; did you mean 'load'?"),
        ("zzz: 1", "there is no such key; there are target, requests, slo, load"),
        ("load: {hold: 5s, hold: 6s}", "2:18: load.hold: is there twice, first in line 2"),
        ("load: {hold: }", "2:14: load.hold: there is no value: write one, or leave the line"),
        ("load: {hold: [5s]}", "load.hold: one value is expected here, not a list"),
        ("load: [hold]", "load: keys with values are expected here: write KEY: VALUE"),
        ("load: 5", "load: keys with values are expected here"),
        ("load: {hold: 10}", "load.hold: '10' is not a duration: write a number with a unit"),
        ("load: {spin: yes}", "load.spin: 'yes' is neither true nor false"),
        ("load: {seed: 1.5}", "load.seed: '1.5' is not a whole number"),
        ("load: {seed: -1}", "load.seed: between 0 and 2^48 − 1"),
        ("load: {from: fast}", "load.from: 'fast' is not a rate"),
        ("load: {from: 9, to: 5}", "2:21: load.to 5 lies below load.from 9"),
        ("load: {from: 9, by: 5}", "load.by goes with load.from and --to: add --to"),
        ("load: {steps: [5], to: 9}", "load.steps names every load: leave out load.to"),
        ("load: {effort: low}", "load.effort: 'low' is none of quick, standard, strict"),
        ("load: {effort: quick, budget: 5m}", "load.budget says how much effort there is"),
        ("load: {predict-only: true}", "load.predict-only needs --servers"),
        ("load: {pin: [99999]}", "load.pin: no core 99999 may be used here"),
        ("experiment: {raised: 2}", "experiment.raised goes with --experiment"),
        ("requests: {path: /}", "requests: a list is expected here: begin each entry with -"),
        ("requests: [{path: /a}, {path: /b}]", "request 1 has no name"),
        ("requests: [{weight: heavy}]", "requests[0].weight: 'heavy' is not a number"),
        ("requests: [{weight: 0}]", "2:12: requests[0]: weight 0: above 0"),
        ("requests: [{headers: {a b: c}}]", 'requests[0]: header 0: name "a b" is not an HTTP'),
        ("requests: [{method: G T}]", 'requests[0]: method "G T" is not an HTTP token'),
        ("requests: [{data: '@nowhere'}]", "requests[0].data: cannot read"),
        ("requests: [{data: a, body: b}]", "body and data are the same thing: leave one out"),
        ("slo: [x: p95<1s]", "x: p95<1s: no request is called 'x'"),
        ("slo: [{a: 1, b: 2}]", "slo[0]: one value is expected here"),
        ("probes: [quantum]", "probes[0]: 'quantum' is no kind of probe"),
        ("probes: [host, host]", "probes[1]: host is there twice: give one of them a name="),
        ("plan: {growth: -1}", "plan.growth: between 0 and 100"),
        ("plan: {peak: 0}", "plan.peak: '0' is not a rate"),
        ("load: !!python/object/apply:os.system [ls]", "the tag"),
        ("load: *nothing", "*nothing stands for nothing: &nothing must come first"),
        ("load: {<<: {hold: 5s}}", "load.<<: there is no such key"),
        ("load: {hold: 5s", "YAML: "),
        ("load:\n\thold: 5s", "breakstep.yaml:3:1: YAML: "),
        ("load: a: b", "put a text that holds ': ' in quotes"),
        ("---\nload: {}", "a second document begins here"),
        ("load: \x07", "the character U+0007 is not allowed here"),
        ("? [a]\n: b", "a key is a plain word"),
    ],
)
def test_a_fault_is_named_with_its_line_and_remedy(files: Files, text: str, fault: str) -> None:
    """Each on its own is one fault."""
    (found,) = files.faults(TARGET + text)
    assert found.startswith("breakstep.yaml:")
    assert fault in found


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "breakstep.yaml:1:1: YAML: the file is empty: `breakstep init URL` writes one"),
        ("load: {hold: 5s}", "breakstep.yaml:1:1: target.url: there is none"),
        ("target: {url: ftp://h/}", "breakstep.yaml:1:15: target.url: 'ftp://h/': ftp:// is not"),
        ("target: {url: [a]}", "breakstep.yaml:1:15: target.url: one value is expected here"),
        ("[target]", "breakstep.yaml:1:1: the file: keys with values are expected here"),
        ("just text", "breakstep.yaml:1:1: the file: keys with values are expected here"),
    ],
)
def test_a_file_without_a_target_says_so(files: Files, text: str, fault: str) -> None:
    """Once."""
    found = files.faults(text)
    assert found[0].startswith(fault)
    assert len(found) == 1 or "target.url: there is none" in found[1]


def test_what_cannot_be_read_is_said_with_the_remedy(tmp_path: Path) -> None:
    """No such file, too large a file, no text."""
    file = tmp_path / "f.yaml"
    with pytest.raises(PlanError, match=r"No such file.*breakstep init URL"):
        read_file(file)
    file.write_bytes(b"a: " + b"x" * SIZE_MAX)
    with pytest.raises(PlanError, match="larger than 1 MB"):
        read_file(file)
    file.write_bytes(b"a: 1\nb: \xff")
    with pytest.raises(PlanError, match=r"f\.yaml:2:1: not UTF-8"):
        read_file(file)


def test_a_small_file_that_stands_for_much_is_refused(files: Files) -> None:
    """Aliases are counted as often as they stand there."""
    one = "{name: a, headers: {A: " + 20_000 * "x" + "}}"
    (fault,) = files.faults(f"{TARGET}requests: [&a {one}{999 * ', *a'}]")
    assert "breakstep.yaml:1:1: with its aliases and variables the file has over" in fault


def test_variables_do_not_make_a_text_endless(files: Files) -> None:
    """They are counted before they are put in."""
    text = f"{TARGET}requests: [{{body: '{200_000 * '${X}'}'}}]"
    (fault,) = files.faults(text, {"X": 100_000 * "y"})
    assert "requests[0].body: its variables come to more than 1000000 characters" in fault


def test_nesting_and_numbers_are_bounded(files: Files) -> None:
    """A file cannot make the reader run out of stack, or name a thousand thousand requests."""
    for opened in (DEPTH_MAX + 2, 900, 100_000):
        assert "YAML: " in files.faults("load: " + opened * "[")[0]
    (fault,) = files.faults(f"{TARGET}requests: [{1001 * '{},'}]")
    assert "requests: 1001 entries: at most 1000" in fault


def test_a_file_of_nothing_but_faults_is_not_read_to_its_end(files: Files) -> None:
    """A thousand are enough to see that it is no load model."""
    found = files.faults("".join(f"k{n}: 1\n" for n in range(100_000)))
    assert len(found) == FAULTS_MAX + 1
    assert found[-1].endswith("what follows was not read: too many faults")


def test_bodies_are_bounded_in_all(files: Files) -> None:
    """Each is kept in memory, however often its file is named; a device that never ends is one."""
    (files.directory / "large").write_bytes(bytes(BODY_MAX // 2))
    requests = ", ".join(f"{{name: r{n}, data: '@large'}}" for n in range(5))
    found = files.faults(f"{TARGET}requests: [{requests}]")
    assert len(found) == 2
    assert all("the bodies before this one have over 64 MB" in fault for fault in found)
    (fault,) = files.faults(f"{TARGET}requests: [{{data: '@/dev/zero'}}]")
    assert "'/dev/zero' is larger than 64 MB" in fault


def test_no_fault_can_steer_a_terminal_or_fill_it(files: Files) -> None:
    """A file may come from others."""
    load = '{"\\e[2Jz": 1, hold: "\\e[2J' + 10_000 * "x" + '"}'
    found = files.faults(f'{TARGET}slo: ["\\e[2Jx: p95<1s"]\nload: {load}')
    assert len(found) == 3
    assert all(fault.isprintable() and len(fault) < 600 for fault in found)


def test_an_anchor_cannot_hold_itself(files: Files) -> None:
    """So no tree is endless."""
    (fault,) = files.faults(f"{TARGET}requests: &a [*a]")
    assert "*a stands for nothing" in fault


@given(st.text(st.sampled_from("abt: -[]{}#&*!|>'\"%@,?\n\t$<=\\0~é\x00"), max_size=60))
def test_any_text_is_a_tree_or_a_fault(text: str) -> None:
    """Nothing else comes out of the reader."""
    faults = Faults()
    found = parse_tree(text, "f", faults)
    assert (found is None) == bool(faults)


@given(st.binary(max_size=200))
def test_any_bytes_are_words_or_a_fault(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    """A hostile file is refused like a wrong one."""
    file = tmp_path_factory.getbasetemp() / "any.yaml"
    file.write_bytes(content)
    with suppress(PlanError):
        assert read_file(file, {}).places
