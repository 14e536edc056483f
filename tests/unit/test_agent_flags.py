"""Flags of `breakstep agent`: what leaves the machine is protected, every fault is listed."""

import ssl
from pathlib import Path

import pytest
import trustme

from breakstep.model.errors import PlanError
from breakstep.plan.agent_flags import TOKEN_MIN, AgentFlags, agent_from_flags

SHORT = "short"
NOWHERE = "/no/such"
TOKEN = "t" * TOKEN_MIN


def faults_of(flags: AgentFlags) -> str:
    """All faults of flags that have some."""
    with pytest.raises(PlanError) as caught:
        agent_from_flags(flags)
    return str(caught.value)


def test_on_loopback_it_needs_a_probe_and_nothing_else() -> None:
    """A token is made where none is given; TLS is not asked for."""
    plans = [agent_from_flags(AgentFlags(probe=["host"])) for _ in range(2)]
    assert all(plan.token_made and plan.tls is None for plan in plans)
    assert all(len(plan.token) >= TOKEN_MIN for plan in plans)
    assert plans[0].token != plans[1].token
    assert (plans[0].host, plans[0].port) == ("127.0.0.1", 7890)


def test_a_token_does_not_show_in_a_plan() -> None:
    """Neither in its text nor in that of the flags."""
    flags = AgentFlags(probe=["host"], token=TOKEN)
    assert TOKEN not in repr(flags) + repr(agent_from_flags(flags))


@pytest.mark.parametrize("listen", ["0.0.0.0:7890", "10.1.2.3:7890", "[::]:7890"])
def test_where_others_reach_it_token_and_tls_are_demanded(listen: str) -> None:
    """Both faults are listed at once, each with its remedy."""
    faults = faults_of(AgentFlags(probe=["host"], listen=listen))
    assert "--token-file FILE or BREAKSTEP_AGENT_TOKEN" in faults
    assert "give --cert and --key, or say --plain" in faults


def test_plain_has_to_be_said() -> None:
    """With a token and --plain an address that others reach is listened on without TLS."""
    plan = agent_from_flags(
        AgentFlags(probe=["host"], listen="0.0.0.0:7890", token=TOKEN, plain=True)
    )
    assert plan.tls is None


def test_a_certificate_makes_tls(tmp_path: Path) -> None:
    """On loopback too."""
    pem = tmp_path / "agent.pem"
    issued = trustme.CA().issue_cert("localhost")
    issued.private_key_and_cert_chain_pem.write_to_path(str(pem))
    plan = agent_from_flags(AgentFlags(probe=["host"], cert=str(pem), key=str(pem)))
    assert isinstance(plan.tls, ssl.SSLContext)


def test_the_file_goes_before_the_environment(tmp_path: Path) -> None:
    """What is on the command line is what was meant now. The line end is not part of the token."""
    file = tmp_path / "token"
    file.write_text("f" * TOKEN_MIN + "\n")
    plan = agent_from_flags(AgentFlags(probe=["host"], token=TOKEN, token_file=str(file)))
    assert plan.token == "f" * TOKEN_MIN
    assert not plan.token_made


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (AgentFlags(), "--probe: an agent reads what it is told to"),
        (AgentFlags(probe=["quantum"]), "'quantum' is no kind of probe"),
        (AgentFlags(probe=["auto"]), "name the probes one by one"),
        (AgentFlags(probe=["agent:h:1"]), "an agent reads its own machine"),
        (AgentFlags(probe=["host", "host"]), "host is there twice"),
        (AgentFlags(probe=[f"host,name=h{k}" for k in range(65)]), "at most 64"),
        (AgentFlags(probe=["host"], listen="7890"), "--listen: write HOST:PORT"),
        (AgentFlags(probe=["host"], listen="127.0.0.1:70000"), "at most 65535"),
        (AgentFlags(probe=["host"], listen="no.such.invalid:1"), "cannot resolve"),
        (AgentFlags(probe=["host"], token=SHORT), "16 to 256 characters"),
        (AgentFlags(probe=["host"], token=f"{TOKEN} x"), "without spaces"),
        (AgentFlags(probe=["host"], token_file=NOWHERE), "--token-file: No such file"),
        (AgentFlags(probe=["host"], cert="a.pem"), "--cert and --key go together"),
        (
            AgentFlags(probe=["host"], cert="/no", key="/no"),
            "--cert, --key: No such file",
        ),
    ],
)
def test_a_fault_names_its_flag_and_the_remedy(flags: AgentFlags, says: str) -> None:
    """Each by itself."""
    assert says in faults_of(flags)


def test_all_faults_are_listed_at_once() -> None:
    """One run of the command shows everything there is to put right."""
    flags = AgentFlags(probe=["auto", "x"], listen="0.0.0.0:1", token=SHORT, key="k")
    assert len(faults_of(flags).splitlines()) == 4


def test_a_key_with_a_password_is_a_fault_and_no_prompt(tmp_path: Path) -> None:
    """Nobody would see the prompt of a service."""
    pem = tmp_path / "key.pem"
    pem.write_text(
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n"
    )
    assert "--cert, --key" in faults_of(AgentFlags(probe=["host"], cert=str(pem), key=str(pem)))
