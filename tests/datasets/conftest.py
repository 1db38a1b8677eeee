"""A server of data sets, and downloads from it."""

import pytest

from grafik import datasets
from tu_server import Server


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _: None)  # pooch waits between its attempts
    server = Server()
    yield server
    server.server.shutdown()
    server.server.server_close()


@pytest.fixture
def fetch(server, tmp_path):
    def call(name="SMALL", **options):
        return datasets.fetch_tu(name, cache=tmp_path, base_url=server.url, **options)

    return call
