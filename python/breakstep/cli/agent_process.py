"""The agent itself: started by `breakstep agent` in its own place, without what reads flags."""

import json
import os
import sys
from dataclasses import replace

from breakstep.cli.exits import reported
from breakstep.plan.agent_flags import AgentFlags, AgentPlan, agent_from_flags
from breakstep.probe.agent_endpoint import TOKEN_VARIABLE
from breakstep.probe.agent_run import run_agent

FLAGS_VARIABLE = "BREAKSTEP_AGENT_FLAGS"


def main() -> None:
    """Runs the agent that the environment describes."""
    # Programs of `command:` probes need not inherit either.
    given, token = os.environ.pop(FLAGS_VARIABLE), os.environ.pop(TOKEN_VARIABLE, None)
    with reported():
        plan = agent_from_flags(replace(AgentFlags(**json.loads(given)), token=token or None))
        run_agent(plan, lambda address: _ready(plan, address), _say)


def _ready(plan: AgentPlan, address: str) -> None:
    if plan.token_made:
        _say(f"token: {plan.token}")
    print(f"agent listening on {address}", flush=True)  # noqa: T201


def _say(text: str) -> None:
    print(text, file=sys.stderr)  # noqa: T201


if __name__ == "__main__":
    main()
