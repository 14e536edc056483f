"""An agent on another network, over TLS; and what a client says when TLS does not fit."""

import socket
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import trustme

from breakstep.model.errors import ProbeError
from breakstep.model.signal import Sample
from breakstep.plan.probes import parse_probe
from breakstep.probe.agent_visitor import GREETING_S
from breakstep.probe.desk import ProbeDesk
from servers.agent import TOKEN, Agent, agent
from servers.namespace import Namespace, namespace

QUICK = "host,every=50ms"


@dataclass(frozen=True, slots=True)
class Certificates:
    """A server's certificate with its key, and the authority that vouches for it."""

    pem: Path
    authority: Path

    @property
    def flags(self) -> tuple[str, ...]:
        """As an agent is given it."""
        return "--cert", str(self.pem), "--key", str(self.pem)


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[Namespace]:
    """Another network."""
    with namespace() as made:
        yield made


@pytest.fixture(scope="module")
def certificates(elsewhere: Namespace, tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """For an address in the other network, and for loopback here."""
    home = tmp_path_factory.mktemp("certificates")
    made = Certificates(home / "agent.pem", home / "authority.pem")
    authority = trustme.CA()
    issued = authority.issue_cert(elsewhere.address_there, "127.0.0.1")
    issued.private_key_and_cert_chain_pem.write_to_path(str(made.pem))
    authority.cert_pem.write_to_path(str(made.authority))
    return made


@pytest.fixture(scope="module")
def distant(
    elsewhere: Namespace, certificates: Certificates, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Agent]:
    """An agent there."""
    listen = ("--listen", f"{elsewhere.address_there}:0")
    home = tmp_path_factory.mktemp("distant")
    with agent(home, [QUICK], *listen, *certificates.flags, before=elsewhere.inside) as started:
        yield started


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    """An agent here, without TLS."""
    with agent(tmp_path_factory.mktemp("plain"), [QUICK]) as started:
        yield started


@pytest.fixture(scope="module")
def secured(
    certificates: Certificates, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Agent]:
    """An agent here, with TLS."""
    with agent(tmp_path_factory.mktemp("secured"), [QUICK], *certificates.flags) as started:
        yield started


@contextmanager
def opened(text: str) -> Iterator[ProbeDesk]:
    """A desk that samples one probe."""
    desk = ProbeDesk.open([parse_probe(text)])
    try:
        desk.start()
        yield desk
    finally:
        desk.stop()


def taken(desk: ProbeDesk) -> list[Sample]:
    """Some hundred samples of a desk."""
    samples: list[Sample] = []
    give_up = time.monotonic() + 20.0
    while len(samples) < 200 and time.monotonic() < give_up:
        time.sleep(0.02)
        samples += desk.take()
    return samples


def trouble(text: str) -> str:
    """Why a probe cannot be opened."""
    with pytest.raises(ProbeError) as caught:
        ProbeDesk.open([parse_probe(text)])
    return str(caught.value)


def test_over_tls_it_works_from_another_network_namespace(
    distant: Agent, certificates: Certificates
) -> None:
    """Signals of there arrive here, and the certificate was checked."""
    with opened(f"{distant.spec},cacert={certificates.authority},name=there") as desk:
        samples = taken(desk)
        (state,) = desk.states()
    assert {sample.signal.source for sample in samples} == {"there/host"}
    assert {"cpu", "run_queue"} <= {sample.signal.name for sample in samples}
    assert (state.failures, state.says) == (0, None)


def test_over_tls_too_nothing_is_answered_without_the_token(
    distant: Agent, certificates: Certificates
) -> None:
    """The handshake is all that a stranger gets."""
    says = trouble(f"agent:{distant.address},token=wrong,cacert={certificates.authority}")
    assert "closed the connection without a word: wrong token" in says


def test_an_address_that_is_not_loopback_is_spoken_to_in_tls_alone(distant: Agent) -> None:
    """Without a word about it, the system's authorities have to vouch for the agent."""
    says = trouble(distant.spec)
    assert "is not trusted" in says
    assert "cacert=FILE" in says


def test_another_authority_or_another_name_is_not_trusted(
    secured: Agent, certificates: Certificates, tmp_path: Path
) -> None:
    """The right authority is not enough: it may have vouched for anyone."""
    other = tmp_path / "other.pem"
    trustme.CA().cert_pem.write_to_path(str(other))
    assert "is not trusted" in trouble(f"{secured.spec},cacert={other}")
    by_name = secured.spec.replace("127.0.0.1", "localhost")
    assert "is not trusted (Hostname" in trouble(f"{by_name},cacert={certificates.authority}")
    assert served(f"{secured.spec},cacert={certificates.authority}")


def descriptors(started: Agent) -> int:
    """How many files and sockets an agent holds."""
    return len(list(Path(f"/proc/{started.process.pid}/fd").iterdir()))


def served(text: str) -> bool:
    """Whether a probe can be opened and gives samples."""
    try:
        with opened(text) as desk:
            return bool(taken(desk))
    except ProbeError:
        return False


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"breakstep-agent/1 " + TOKEN.encode() + b"\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 300,
        b"\xff" * 5_000,
    ],
)
def test_no_stranger_ends_an_agent_nor_leaves_anything_in_it(
    secured: Agent, certificates: Certificates, said: bytes
) -> None:
    """Garbage and resets in the middle of the handshake, again and again."""
    reset = struct.pack("ii", 1, 0)
    host, _, port = secured.address.rpartition(":")
    held = descriptors(secured)
    for number in range(100):
        with socket.create_connection((host, int(port)), timeout=5.0) as stranger:
            if number % 2:
                stranger.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
            stranger.sendall(said)
    give_up = time.monotonic() + 4 * GREETING_S
    while not served(f"{secured.spec},cacert={certificates.authority}"):
        # Strangers may still be in line.
        assert time.monotonic() < give_up
        time.sleep(0.2)
    while descriptors(secured) > held and time.monotonic() < give_up:
        time.sleep(0.05)
    assert descriptors(secured) <= held
    assert "Traceback" not in secured.log.read_text()


def test_an_agent_that_wants_tls_is_said_to(distant: Agent) -> None:
    """A client told to be plain hears what to add."""
    says = trouble(f"{distant.spec},plain=yes")
    assert "TLS" in says
    assert "cacert=FILE" in says


def test_an_agent_without_tls_is_said_to_be(plain: Agent, certificates: Certificates) -> None:
    """The token is not sent before the agent has proved itself."""
    says = trouble(f"{plain.spec},cacert={certificates.authority}")
    assert "was the agent started with --cert and --key?" in says
    assert TOKEN not in says + plain.log.read_text()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("plain=maybe", "write plain=yes or plain=no"),
        ("cacert=/no/such", "cacert=/no/such: No such file"),
        ("plain=yes,cacert=/no/such", "contradict each other"),
        ("token=two words", "printable ASCII without spaces"),
    ],
)
def test_an_option_at_fault_is_named(plain: Agent, options: str, says: str) -> None:
    """With what to write instead."""
    assert says in trouble(f"{plain.spec},{options}".replace(f",token={TOKEN},token", ",token"))


def test_an_address_where_nothing_listens_is_refused(elsewhere: Namespace) -> None:
    """With what to look at."""
    says = trouble(f"agent:{elsewhere.address_there}:1,token={TOKEN}")
    assert "does `breakstep agent` run there" in says
