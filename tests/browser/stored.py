"""Stored runs of the labelled stacks, packed so that the repository stays small.

`python -m tests.browser.stored DIRECTORY NAME` packs a run directory anew.
"""

import io
import json
import re
import sys
import tarfile
from pathlib import Path

STORED = Path(__file__).parents[1] / "data" / "runs"
NAMES = tuple(sorted(path.name.removesuffix(".tar.xz") for path in STORED.glob("*.tar.xz")))
_FILES = ("result.json", "intervals.csv", "signals.csv", "histograms.hlog")
_TEMPORARY = re.compile(r"/tmp/[A-Za-z0-9_]+/")  # noqa: S108  found in text, not used


def unpack(name: str, to: Path) -> Path:
    """A run directory with the files of a stored run."""
    directory = to / name
    with tarfile.open(STORED / f"{name}.tar.xz") as archive:
        archive.extractall(directory, filter="data")
    return directory


def pack(directory: Path, name: str) -> None:
    """Packs what a report reads, without the paths of the machine that it was measured on."""
    with tarfile.open(STORED / f"{name}.tar.xz", "w:xz") as archive:
        for file in _FILES:
            content = _kept(directory / file).encode()
            entry = tarfile.TarInfo(file)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))


def _kept(file: Path) -> str:
    text = _TEMPORARY.sub("/run/", file.read_text(encoding="utf-8"))
    if file.suffix != ".json":
        return text
    document = json.loads(text)
    # The signals of each step are in the other file, sample by sample.
    document.get("signals", {}).pop("steps", None)
    document["environment"] |= {"kernel": "Linux 6.1", "cpu": "CPU"}
    return json.dumps(document, ensure_ascii=False)


if __name__ == "__main__":
    pack(Path(sys.argv[1]), sys.argv[2])
