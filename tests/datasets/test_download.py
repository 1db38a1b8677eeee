"""Downloads from a server on this machine that answers well, badly, or not at all."""

import contextlib
import hashlib
import io
import re
import socket
import threading
import zipfile
from functools import partial
from pathlib import Path

import pytest
import requests

from grafik import Graphs, datasets
from grafik.datasets import download
from tu_files import SMALL, members, write
from tu_server import Server, archive


def test_one_download_serves_many_calls(server, fetch, tmp_path):
    graphs, y = fetch()
    again, _ = fetch()
    assert len(graphs) == 2
    assert y.tolist() == [1, -1]
    assert again == graphs
    assert server.requests == ["/data/SMALL.zip"]
    record = (tmp_path / "SMALL.zip.sha256").read_text().strip()
    assert record == hashlib.sha256(archive()).hexdigest()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["SMALL.zip", "SMALL.zip.sha256"]


def test_options_go_to_the_reader(fetch):
    graphs, _ = fetch(ignore=["edge_labels"])
    assert graphs.edge_labels is None


def test_the_cache_folder_comes_from_the_environment(server, tmp_path, monkeypatch):
    monkeypatch.setenv("GRAFIK_CACHE", str(tmp_path / "here"))
    datasets.fetch_tu("SMALL", base_url=server.url)
    assert (tmp_path / "here" / "SMALL.zip").is_file()


@pytest.mark.parametrize(
    "bad",
    [
        archive()[:200],
        (archive()[:200], len(archive())),
        (archive()[:200], "unknown"),
        503,
        b"<html>",
    ],
    ids=["truncated", "cut off", "cut off without length", "unavailable", "a page"],
)
def test_a_bad_answer_is_asked_again(server, fetch, bad):
    server.answers = [bad, archive()]
    graphs, _ = fetch()
    assert len(graphs) == 2
    assert len(server.requests) == 2


def test_an_answer_that_stays_truncated_is_an_error_and_leaves_nothing(server, fetch, tmp_path):
    server.answers = [archive()[:200]]
    with pytest.raises(OSError, match="download of SMALL is refused: .*complete zip"):
        fetch(retries=1)
    assert len(server.requests) == 2
    assert list(tmp_path.iterdir()) == []


def test_a_corrupted_answer_is_an_error_and_leaves_nothing(server, fetch, tmp_path):
    data = bytearray(archive())
    data[80] ^= 0xFF
    server.answers = [bytes(data)]
    with pytest.raises(OSError, match="download of SMALL is refused"):
        fetch(retries=1)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_data_set_is_not_kept(server, fetch, tmp_path):
    server.answers = [archive(lambda: [("hello.txt", "world")])]
    with pytest.raises(OSError, match="the download of SMALL is not a data set: .*NAME_A.txt"):
        fetch()
    assert list(tmp_path.iterdir()) == []
    server.answers = [archive()]
    assert len(fetch()[0]) == 2


def test_bombs_are_refused_before_they_are_unpacked(server, fetch, tmp_path, monkeypatch):
    monkeypatch.setattr(zipfile.ZipFile, "testzip", lambda _: pytest.fail("unpacked"))
    server.answers = [archive(lambda: [*members(), ("SMALL/zeros.txt", b"0\n" * 500_000)])]
    with pytest.raises(
        OSError, match="is refused: it unpacks to 100.*, more than max_bytes=500000"
    ):
        fetch(max_bytes=500_000, retries=0)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_record_is_made_anew(fetch, tmp_path):
    fetch()
    (tmp_path / "SMALL.zip.sha256").write_text("")
    assert len(fetch()[0]) == 2
    assert len((tmp_path / "SMALL.zip.sha256").read_text().strip()) == 64


def test_a_cached_zip_is_held_to_the_limit_too(fetch):
    fetch()
    with pytest.raises(ValueError, match="is refused: it unpacks to"):
        fetch(max_bytes=10)


def test_a_damaged_cache_is_downloaded_again(server, fetch, tmp_path):
    expected, _ = fetch()
    (tmp_path / "SMALL.zip").write_bytes(archive()[:-1] + b"!")
    assert fetch()[0] == expected
    assert (tmp_path / "SMALL.zip").read_bytes() == archive()
    assert len(server.requests) == 2


def test_a_download_that_differs_from_the_first_one_is_refused(server, fetch, tmp_path):
    fetch()
    (tmp_path / "SMALL.zip").unlink()
    server.answers = [archive(lambda: members("other/"))]
    with pytest.raises(OSError, match=r"hash of downloaded file.*remove .*SMALL.zip.sha256"):
        fetch(retries=0)
    assert [p.name for p in tmp_path.iterdir()] == ["SMALL.zip.sha256"]


def test_a_pinned_hash_must_fit(fetch, tmp_path):
    right = hashlib.sha256(archive()).hexdigest()
    with pytest.raises(OSError, match="hash of downloaded file"):
        fetch(known_hash="0" * 64, retries=0)
    assert list(tmp_path.iterdir()) == []
    assert len(fetch(known_hash=right)[0]) == 2


def test_an_unknown_name_is_not_asked_for_twice(server, fetch):
    server.answers = [404]
    with pytest.raises(FileNotFoundError, match="there is no data set 'NONE' at http"):
        fetch("NONE")
    assert len(server.requests) == 1


def test_too_large_an_answer_is_refused_before_it_is_read(server, fetch, tmp_path):
    server.answers = [(b"x", 10**12)]
    with pytest.raises(OSError, match="SMALL.zip is larger than max_bytes=1000"):
        fetch(max_bytes=1000)
    server.answers = [(b"x" * 100_000, "unknown")]
    with pytest.raises(OSError, match="SMALL.zip is larger than max_bytes=1000"):
        fetch(max_bytes=1000)
    assert list(tmp_path.iterdir()) == []


def test_offline_says_what_to_do(tmp_path):
    server = Server()
    server.server.server_close()
    with pytest.raises(OSError, match=r"could not download SMALL .*offline.*read_tu\(path\)"):
        datasets.fetch_tu("SMALL", cache=tmp_path, base_url=server.url, retries=0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["../MUTAG", "a/b", "", ".", "MUTAG.zip/..", "a b", "a" * 201])
def test_names_cannot_leave_the_cache(name):
    with pytest.raises(ValueError, match="is not a name of a data set"):
        datasets.fetch_tu(name)


def test_plain_http_is_for_this_machine_only():
    with pytest.raises(ValueError, match="base_url must start with https://"):
        datasets.fetch_tu("MUTAG", base_url="http://example.org/")


def test_progress_is_shown_on_a_terminal_only(fetch, capfd):
    fetch()
    assert capfd.readouterr() == ("", "")


def test_a_terminal_is_shown_how_far_a_download_is(fetch, capfd, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # what is captured is a terminal then
    fetch()
    assert "downloading SMALL" in capfd.readouterr().err


def test_what_comes_by_plain_http_in_the_end_is_refused(tmp_path, monkeypatch):
    class Answer(contextlib.nullcontext):
        status_code, url = 200, "http://elsewhere.org/SMALL.zip"

        def raise_for_status(self):
            pass

        def __enter__(self):
            return self

    monkeypatch.setattr(download._Download, "_answer", lambda self, url: Answer())
    with pytest.raises(OSError, match=r"leads to http://elsewhere.org/SMALL.zip, which is not"):
        datasets.fetch_tu("SMALL", cache=tmp_path, base_url="https://example.org", retries=0)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (requests.exceptions.ReadTimeout("slow"), "no answer within 30 seconds"),
        (requests.exceptions.ConnectionError("refused"), "no connection: are you offline?"),
        (OSError("the disk is full"), "the disk is full"),
    ],
)
def test_reasons_are_said_in_a_few_words(error, reason):
    assert download._reason(error) == reason


def test_the_answer_of_a_server_that_refuses_is_told(server, fetch):
    server.answers = [403]
    with pytest.raises(OSError, match="could not download SMALL .* answered 403 Forbidden"):
        fetch(retries=0)


def test_a_member_with_another_checksum_is_named(server, fetch):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:  # not compressed
        for name, text in members():
            file.writestr(name, text)
    name, text = next(iter(members()))
    damaged = buffer.getvalue().replace(text.encode(), text.encode()[:-1] + b"7", 1)
    assert damaged != buffer.getvalue()
    server.answers = [damaged]
    with pytest.raises(OSError, match=f"its member {re.escape(name)} is damaged"):
        fetch(retries=0)


def test_a_download_that_takes_too_long_is_given_up(server, fetch, tmp_path):
    with pytest.raises(OSError, match="SMALL.zip takes longer than max_seconds=0; raise it"):
        fetch(max_seconds=0)
    assert list(tmp_path.iterdir()) == []


class SlowServer:
    """Sends an answer byte by byte, and counts what it has sent."""

    def __init__(self, answer):
        self.answer, self.sent, self.stopped = answer, 0, threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}/"
        threading.Thread(target=self.serve, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.listener.close()

    def serve(self):
        connection, _ = self.listener.accept()
        with connection:
            connection.recv(4096)
            for byte in self.answer:
                if self.stopped.wait(0.01):
                    return
                try:
                    connection.sendall(bytes([byte]))
                except OSError:  # the reader has gone
                    return
                self.sent += 1


BEGIN = b"HTTP/1.1 200 OK\r\nConnection: close\r\n"


@pytest.mark.parametrize(
    "answer",
    [
        BEGIN + b"X: " + b"x" * 2000 + b"\r\n\r\n" + archive(),
        BEGIN + b"\r\n" + b"x" * 2000,
        BEGIN + b"Content-Length: 2000\r\n\r\n" + b"x" * 2000,
        BEGIN + b"Transfer-Encoding: chunked\r\n\r\n7d0\r\n" + b"x" * 2000 + b"\r\n0\r\n\r\n",
    ],
    ids=["headers", "body", "body of known length", "body in chunks"],
)
def test_a_server_that_sends_byte_by_byte_is_given_up_in_time(tmp_path, answer):
    with SlowServer(answer) as server:
        with pytest.raises(OSError, match="takes longer than max_seconds=2; raise it"):
            datasets.fetch_tu(
                "SMALL", cache=tmp_path, base_url=server.url, max_seconds=2, retries=0
            )
        assert server.sent < len(answer) / 2
    assert list(tmp_path.iterdir()) == []


def test_there_may_be_no_limit_of_time(fetch):
    assert len(fetch(max_seconds=float("inf"))[0]) == 2


def test_what_the_page_on_graphs_shows_runs(server, tmp_path, monkeypatch):
    page = Path(__file__).parents[2] / "docs" / "graphs.md"
    (block,) = re.findall(r"^```python\n(?!>>>)(.*?)^```", page.read_text(), re.M | re.S)
    server.answers = [archive(lambda: [(n.replace("SMALL", "MUTAG"), t) for n, t in members()])]
    nearby = partial(datasets.fetch_tu, cache=tmp_path, base_url=server.url)
    monkeypatch.setattr(datasets, "fetch_tu", nearby)
    monkeypatch.chdir(tmp_path)
    graphs, y = datasets.read_tu(write(tmp_path / "path/to/MUTAG", SMALL, "MUTAG"))
    exec(block, {})
    written, classes = datasets.read_tu("path/to/MINE")
    assert classes.tolist() == y.tolist()
    assert written.edges.tolist() == graphs.edges.tolist()
    assert Graphs.from_parquet("mine.parquet").node_labels == graphs.node_labels
    assert len(server.requests) == 1
