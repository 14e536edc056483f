"""`prometheus:URL`: the series of any exporter."""

from collections.abc import Sequence
from dataclasses import dataclass

from breakstep.model.errors import ProbeError
from breakstep.model.probe import ProbeSpec
from breakstep.model.signal import base_name
from breakstep.probe.exposition import Scraper
from breakstep.probe.http_get import get
from breakstep.probe.options import insecure, timeout_s
from breakstep.probe.reading import Reading

LIMIT_BYTES = 8_000_000
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Exporter:
    """One exporter, scraped anew at every read."""

    url: str
    scraper: Scraper
    timeout_s: float
    insecure: bool

    def read(self) -> Sequence[Reading]:
        """The wanted series now."""
        body = get(
            self.url, timeout_s=self.timeout_s, insecure=self.insecure, limit_bytes=LIMIT_BYTES
        )
        text = body.decode("utf-8", errors="replace")
        readings = self.scraper.readings(text)
        if not readings:
            raise ProbeError(_nothing(text, self.scraper.patterns))
        return readings

    def close(self) -> None:
        """Nothing is held between two reads."""


def open_probe(spec: ProbeSpec) -> Exporter:
    """Scrapes once. Raises ProbeError if no series is there, or none that is wanted."""
    exporter = Exporter(
        url=spec.where,
        scraper=Scraper(spec.values("series")),
        timeout_s=timeout_s(spec),
        insecure=insecure(spec),
    )
    exporter.read()
    return exporter


def _nothing(text: str, patterns: Sequence[str]) -> str:
    names = {base_name(reading.name): None for reading in Scraper().readings(text)}
    if not names:
        return "what it answers is not the text of an exporter: does its path end in /metrics?"
    shown = ", ".join(list(names)[:_SHOWN])
    return (
        f"no series matches {' or '.join(patterns)}: there are {len(names)} names, such as {shown}"
    )
