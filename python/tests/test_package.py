"""What a user reads runs as it stands: README, `python -m strata_frontier`; and the type hints hold."""
import doctest
import subprocess
import sys
from pathlib import Path

import pytest

import strata_frontier
from strata_frontier import Frontier
from strata_frontier.__main__ import main

HERE = Path(__file__).resolve().parent.parent


def test_the_readme(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(str(HERE / "README.md"), module_relative=False,
                                     optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    assert failed == 0 and tried > 15


def test_the_command(tmp_path, capsys):
    assert main([]) == 0
    assert capsys.readouterr().out.startswith(f"strata-frontier {strata_frontier.__version__}\n")
    with Frontier(tmp_path / "f") as frontier:
        frontier.add_many(["http://a.example/1", "http://a.example/2"])
        frontier.done(frontier.next()[0])
    assert main([str(tmp_path / "f")]) == 0
    said = dict(line.split() for line in capsys.readouterr().out.splitlines())
    assert (said["queued"], said["done"], said["hosts"]) == ("1", "1", "1")
    assert main([str(tmp_path / "none")]) == 1
    assert "none" in capsys.readouterr().err


def test_the_type_hints():
    pytest.importorskip("mypy", reason="mypy is not installed")
    checked = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir=/dev/null", "strata_frontier"],
                             cwd=HERE, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout
