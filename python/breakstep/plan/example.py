"""A load-model file to begin with: it asks for what `find URL` does, and shows the rest."""

import json

from breakstep.plan.address import parse_url
from breakstep.plan.redact import redact_url

USER, PASSWORD = "${TARGET_USER}", "${TARGET_PASSWORD}"

_TEXT = """\
# yaml-language-server: $schema=breakstep.schema.json
#
# A load model: `breakstep find breakstep.yaml` runs it. What the command line says counts before
# what stands here. Lines behind a # are examples; without them the defaults hold.
# ${NAME} is read from the environment in URLs, paths, headers, bodies and probes, and never shown.

target:
  url: <URL>
  # unix-socket: app.sock
  # keep-alive: true
  # insecure: false
  # cacert: ca.pem

# Every arrival performs one of these; of several, each has a name and a share by weight.
requests:
  - path: <PATH>
    # name: home
    # weight: 3
    # method: GET
    # headers: {Accept: text/html, Authorization: "Bearer ${TOKEN}"}
    # body: '{"item": 1}'
    # data: "@body.json"

# What has to hold. Without any, bounds are assumed from the first answers.
# slo: [p95<200ms, errors<1%, goodput>97%]

load:
  # Without a word the search is automatic. How exact it is, or how long it may take:
  # effort: standard
  # budget: 10m
  # Where it looks; with the distance of steps every load is offered in turn.
  # from: 50
  # to: 500
  # by: 50
  # Or the loads one by one, requests a second.
  # steps: [50, 100, 150, 200]
  # Requests the service works on at once foretell where it breaks.
  # servers: 8
  # predict-only: false
  # hold: 10s
  # ramp: 1s
  # warmup: 2s
  # arrivals: poisson
  # seed: 1
  # timeout: 10s
  # max-in-flight: 10000
  # abort: true
  # repeat: 3
  # between: ./restart
  # workers: 1
  # pin: [0]
  # spin: false

# What is sampled on the server meanwhile: docs/probes.md lists them.
# probes: [auto, host]

# A change to make after the search, and by how much it raises the suspected limit.
# experiment: {command: ./more-workers, raised: 2}

# What `breakstep plan` plans for.
# plan: {peak: 500, growth: 30%, failures: 1, burst: 1.2, headroom: 0.7, imbalance: 1.1}
"""


def example(url: str) -> str:
    """The file for a URL; what is secret in it becomes a variable. Raises ValueError.

    >>> [line for line in example("http://me:abc@h/shop?page=2").splitlines() if "h/" in line]
    ['  url: "http://${TARGET_USER}:${TARGET_PASSWORD}@h/"']
    """
    parts = parse_url(url.replace("${", "$${"))
    root = parts.url.removesuffix(parts.path) + "/"
    if parts.userinfo is not None:
        root = root.replace("://", f"://{USER}:{PASSWORD}@", 1)
    path = redact_url(parts.path, lambda name: f"${{{_variable(name)}}}")
    return _TEXT.replace("<URL>", _quoted(root)).replace("<PATH>", _quoted(path))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _variable(name: str) -> str:
    kept = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name)
    return f"TARGET_{kept.upper()}"
