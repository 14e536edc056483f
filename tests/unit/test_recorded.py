"""What a run directory holds by time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from breakstep.store.recorded import Recorded, read_recorded

if TYPE_CHECKING:
    from pathlib import Path


def test_a_result_alone_has_no_record(tmp_path: Path) -> None:
    """Neither a directory without the files, nor the file of a result itself."""
    (tmp_path / "result.json").write_text("{}")
    assert read_recorded(tmp_path) == Recorded()
    assert read_recorded(tmp_path / "result.json") == Recorded()


def test_each_file_is_read_for_itself(tmp_path: Path) -> None:
    """A run whose signals were thrown away still has its seconds."""
    (tmp_path / "signals.csv").write_text(
        "time,source,name,unit,value,kind\n1.5,host,cpu,share,0.25,host\n"
    )
    found = read_recorded(tmp_path)
    assert found.rows == ()
    assert [one.signal.name for one in found.series] == ["cpu"]
