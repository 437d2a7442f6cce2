"""Filter: what was added is in it, in any number; closed, damaged and foreign things raise."""
import io
import random
from threading import Thread

import pytest

from strata_frontier import BadArgument, Closed, Damaged, Filter, Mismatch, StrataError

SECRET = bytes(range(32))


def test_it_agrees_with_a_set():
    chosen = random.Random(1)
    model, seen = set(), Filter(100, 1e-9)
    for _ in range(20_000):
        key = chosen.randrange(10_000).to_bytes(4, "big")
        assert seen.add(key) == (key not in model)
        model.add(key)
    assert len(seen) == len(model)
    assert all(key in seen for key in model)
    assert seen.contains_many([b"other", *list(model)[:3]]) == [False, True, True, True]


def test_many_at_once_are_as_one_by_one():
    seen = Filter(10)
    assert seen.add_many(["a", "b", "a", b"a", ""]) == [True, True, False, False, True]
    assert seen.add_many([]) == []
    assert seen.add_many(str(i) for i in range(1000)) == [True] * 1000


def test_text_counts_as_its_utf8():
    seen = Filter(10)
    seen.add("ü")
    assert "ü".encode() in seen and "u" not in seen


def test_a_saved_filter_is_the_same(tmp_path):
    seen = Filter(1000, 1e-6, secret=SECRET)
    seen.add_many(str(i) for i in range(5000))
    seen.save(tmp_path / "seen")
    again = Filter.load(tmp_path / "seen", secret=SECRET)
    assert again.stats() == seen.stats()
    assert all(again.contains_many(str(i) for i in range(5000)))
    assert again.stats().bits / 5000 < 64
    with pytest.raises(Mismatch):
        Filter.load(tmp_path / "seen", secret=bytes(32))


class Trickle(io.RawIOBase):
    """Takes and gives a few bytes at a time, and fails at one of them."""

    def __init__(self, data=b"", fails_at=None):
        super().__init__()
        self.data, self.at, self.fails_at = bytearray(data), 0, fails_at

    def write(self, part):
        if self.fails_at is not None and len(self.data) >= self.fails_at:
            raise OSError("the pipe is broken")
        self.data += bytes(part)[:1000]
        return min(len(part), 1000)

    def read(self, size=-1):
        if self.fails_at is not None and self.at >= self.fails_at:
            raise OSError("the pipe is broken")
        part = bytes(self.data[self.at:self.at + min(size, 777)])
        self.at += len(part)
        return part


def test_a_filter_goes_through_a_stream(tmp_path):
    seen = Filter(100, 1e-6)
    keys = [f"key {i}" for i in range(1000)]
    seen.add_many(keys)
    seen.save(tmp_path / "seen")
    pipe = Trickle()
    seen.dump(pipe)
    assert bytes(pipe.data) == (tmp_path / "seen").read_bytes()
    pipe.data += b"what comes behind it"
    assert all(Filter.load(pipe).contains_many(keys))
    assert pipe.read(20) == b"what comes behind it"
    whole = io.BytesIO()
    seen.dump(whole)
    assert all(Filter.load(io.BytesIO(whole.getvalue())).contains_many(keys))


def test_streams_that_fail_or_end():
    seen, whole = Filter(100, 1e-6), io.BytesIO()
    seen.dump(whole)
    data = whole.getvalue()
    for at in (0, 100, 4096, len(data) - 1000):
        with pytest.raises(OSError, match="broken"):
            seen.dump(Trickle(fails_at=at))
        with pytest.raises(OSError, match="broken"):
            Filter.load(Trickle(data, fails_at=at))
    for at in (0, 100, 4096, len(data) - 1):
        with pytest.raises(StrataError):
            Filter.load(io.BytesIO(data[:at]))
    with pytest.raises(StrataError):
        Filter.load(io.BytesIO(data[:200] + b"x" + data[201:]))


@pytest.mark.parametrize("answer", [None, 0, -100000, 10**9])
def test_a_stream_that_tells_nonsense(answer):
    class Odd:
        def write(self, part):
            return answer

        def read(self, size):
            return None

    with pytest.raises(OSError):
        Filter(100, 1e-6).dump(Odd())
    with pytest.raises(OSError):
        Filter.load(Odd())


def test_files_that_are_no_filters(tmp_path):
    with pytest.raises(OSError, match="nothing"):
        Filter.load(tmp_path / "nothing")
    (tmp_path / "text").write_text("text" * 5000)
    with pytest.raises(StrataError, match="text"):
        Filter.load(tmp_path / "text")
    Filter(1000).save(tmp_path / "seen")
    torn = bytearray((tmp_path / "seen").read_bytes())
    torn[-1] ^= 1
    (tmp_path / "seen").write_bytes(torn)
    with pytest.raises(Damaged):
        Filter.load(tmp_path / "seen")


@pytest.mark.parametrize("wrong, why", [
    ({"rate": 0}, "rate is 0"), ({"rate": 2}, "rate is 2"), ({"keys": 0}, "keys is 0"), ({"kind": "sieve"}, "sieve"),
    ({"secret": b"short"}, "32 bytes")])
def test_options_that_make_no_filter(wrong, why):
    with pytest.raises(BadArgument, match=why):
        Filter(**{"keys": 100, **wrong})
    with pytest.raises(BadArgument):
        Filter(10).save("a\0b")


def test_a_closed_filter_raises():
    with Filter(10) as seen:
        seen.add("a")
    seen.close()
    for call in (lambda: seen.add("a"), lambda: "a" in seen, lambda: len(seen), lambda: seen.save("x")):
        with pytest.raises(Closed):
            call()


def test_of_many_threads_one_gets_new():
    seen, new = Filter(1000), []

    def add():
        new.extend(key for key in range(2000) if seen.add(str(key)))

    threads = [Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(new) == list(range(2000))
