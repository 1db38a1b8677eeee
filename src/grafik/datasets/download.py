"""Downloads of data sets in TU format, checked and kept."""

from __future__ import annotations

import os
import re
import socket
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..system.files import expanded, replacing
from .tu import read_tu
from .tu_files import open_source
from .tu_members import DAMAGED, checked_members

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..graphs.batch import Graphs

TU_COLLECTION = "https://www.chrsmrrs.com/graphkerneldatasets/"
_TIMEOUT = 30.0


def fetch_tu(
    name: str,
    *,
    cache: str | os.PathLike[str] | None = None,
    base_url: str = TU_COLLECTION,
    known_hash: str | None = None,
    retries: int = 3,
    max_bytes: int = 4 * 2**30,
    max_seconds: float = 3600.0,
    progress: bool = True,
    **options: Any,
) -> tuple[Graphs, NDArray[np.int64 | np.float64] | None]:
    """Download a data set of the TU collection, once, and read it.

    The zip stays in the cache folder. Its SHA-256 is recorded once it has been read without error;
    from then on the cached file and any new download must match it, and a cached file that differs
    is downloaded anew. A zip that you put there yourself is taken for a download once it has been
    read; before, it is never deleted or replaced.

    Parameters
    ----------
    name : str
        Such as ``"MUTAG"``.
    cache : path, optional
        Folder to keep zips in; by default the one that the environment variable ``GRAFIK_CACHE``
        names, or else the cache folder of the platform.
    base_url : str
        Where ``name + ".zip"`` is. Must be HTTPS, unless it is on this machine.
    known_hash : str, optional
        SHA-256 that the zip must have.
    retries : int
        How often a failed download is tried again.
    max_bytes : int
        A larger download, or a zip that unpacks to more, is refused.
    max_seconds : float
        A download that takes longer, with all that is tried again, is given up.
    progress : bool
        Whether to show a progress bar on a terminal.
    **options
        Further arguments of :func:`read_tu`.

    Returns
    -------
    graphs, y
        As from :func:`read_tu`.

    Examples
    --------
    >>> from grafik import datasets
    >>> graphs, y = datasets.fetch_tu("MUTAG")  # doctest: +SKIP
    """
    import pooch
    import requests

    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.+-]{,199}", name):
        raise ValueError(f"{name!r} is not a name of a data set, such as 'MUTAG'")
    address = urlsplit(base_url)
    if address.scheme != "https" and address.hostname not in ("localhost", "127.0.0.1", "::1"):
        raise ValueError(f"base_url must start with https://, got {base_url}")
    folder = expanded(cache or os.environ.get("GRAFIK_CACHE") or pooch.os_cache("grafik"))
    file, record = folder / f"{name}.zip", folder / f"{name}.zip.sha256"
    recorded = record.read_text().strip() if record.is_file() else ""
    wanted = known_hash or recorded or None
    _check_kept(file, name, None if recorded else known_hash)
    keeper = pooch.create(
        path=folder,
        base_url=base_url.rstrip("/") + "/",
        registry={file.name: wanted and f"sha256:{wanted}"},
        retry_if_failed=retries,
    )
    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel("CRITICAL")  # the progress bar and the errors below say it all
    download = _Download(name, max_bytes, max_seconds, progress)
    try:
        keeper.fetch(file.name, downloader=download)
    except requests.exceptions.RequestException as error:
        raise OSError(
            f"could not download {name} from {base_url} ({_reason(error)}). Try again, or get the "
            "folder or zip in another way and call grafik.datasets.read_tu(path)"
        ) from error
    except ValueError as error:
        remedy = f"; if the data set was changed on purpose, remove {record}" if wanted else ""
        raise OSError(f"the download of {name} is refused: {error}{remedy}") from error
    finally:
        logger.setLevel(level)
    if download.done:
        _check_contents(file, name, max_bytes)
    try:
        found = read_tu(file, max_bytes=max_bytes, **options)
    except (ValueError, FileNotFoundError) as error:
        if recorded:
            raise
        kind = ValueError if isinstance(error, ValueError) else FileNotFoundError
        raise kind(
            f"{error}; {file} is left as it is: call again with other options, or move it away to "
            f"download {name} anew"
        ) from error
    if download.done or not recorded:
        with replacing(record) as part:
            part.write_text(pooch.file_hash(file, "sha256") + "\n")
    return found


class _Download:
    """Downloads one zip for pooch, which keeps it only if nothing is raised here."""

    def __init__(self, name: str, max_bytes: int, max_seconds: float, progress: bool) -> None:
        self.name, self.max_bytes, self.progress = name, max_bytes, progress
        self.max_seconds, self.begun = max_seconds, time.monotonic()
        self.done = False

    def __call__(self, url: str, output_file: str, _: Any) -> None:
        with self._answer(url) as response, self._watched(response, url):
            if response.status_code == 404:
                raise FileNotFoundError(f"there is no data set {self.name!r} at {url}")
            response.raise_for_status()
            if url.startswith("https:") and not response.url.startswith("https:"):
                raise OSError(f"{url} leads to {response.url}, which is not HTTPS")
            expected = int(response.headers.get("Content-Length", 0))
            self._check_size(expected, url)
            with Path(output_file).open("wb") as file, self._bar(expected) as advance:
                for chunk in response.iter_content(1 << 16):
                    self._check_size(file.tell() + len(chunk), url)
                    file.write(chunk)
                    advance(len(chunk))
        _check_zip(Path(output_file), self.max_bytes)
        self.done = True

    def _answer(self, url: str) -> Any:
        """Return the answer of the server, of which the headers have come.

        Nothing can end the wait for these, so another thread waits, which is left to itself.
        """
        import requests

        answer: Future[Any] = Future()

        def ask() -> None:
            try:
                answer.set_result(requests.get(url, stream=True, timeout=_TIMEOUT))
            except Exception as error:
                answer.set_exception(error)

        threading.Thread(target=ask, daemon=True).start()
        try:
            return answer.result(self._left())
        except TimeoutError:
            raise self._too_long(url) from None

    @contextmanager
    def _watched(self, response: Any, url: str) -> Iterator[None]:
        """Cut the connection when the time is over, as a slow server may never end a read."""
        watch = threading.Timer(self._left(), _cut, [response])
        watch.daemon = True
        watch.start()
        try:
            yield
        except OSError:
            self._check_time(url)
            raise
        finally:
            watch.cancel()
        self._check_time(url)  # what was cut may look complete

    def _left(self) -> float:
        left = self.begun + self.max_seconds - time.monotonic()
        return min(max(left, 0.0), threading.TIMEOUT_MAX)

    def _check_time(self, url: str) -> None:
        if self._left() == 0:
            raise self._too_long(url)

    def _too_long(self, url: str) -> OSError:
        return OSError(
            f"the download of {url} takes longer than max_seconds={self.max_seconds:g}; raise it, "
            "or get the zip in another way and call grafik.datasets.read_tu(path)"
        )

    def _check_size(self, size: int, url: str) -> None:
        if size > self.max_bytes:
            raise OSError(f"{url} is larger than max_bytes={self.max_bytes}")

    @contextmanager
    def _bar(self, expected: int) -> Iterator[Callable[[int], None]]:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn

        console = Console(stderr=True)
        if not (self.progress and console.is_terminal):
            yield lambda size: None  # some versions of rich end even a disabled bar with a newline
            return
        columns = (f"downloading {self.name}", BarColumn(), DownloadColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task("download", total=expected or None)
            yield lambda size: bar.advance(task, size)


def _cut(response: Any) -> None:
    """End a connection that another thread reads from; that thread then finds its end."""
    with (
        suppress(OSError, ValueError),  # closed meanwhile
        socket.fromfd(response.raw.fileno(), socket.AF_INET, socket.SOCK_STREAM) as connection,
    ):
        connection.shutdown(socket.SHUT_RDWR)


def _reason(error: Exception) -> str:
    """Return in a few words why a download failed."""
    import requests

    response = getattr(error, "response", None)
    if response is not None:
        return f"the server answered {response.status_code} {response.reason}"
    if isinstance(error, requests.exceptions.Timeout):
        return f"no answer within {_TIMEOUT:g} seconds"
    if isinstance(error, requests.exceptions.ConnectionError):
        return "no connection: are you offline?"
    return str(error)


def _check_kept(file: Path, name: str, known_hash: str | None) -> None:
    """Refuse to put a download in the place of something that was not downloaded."""
    import pooch

    remedy = f"move it away to download {name}"
    if file.exists() and not file.is_file():
        raise FileExistsError(f"{file} is no file; {remedy}")
    if known_hash and file.exists() and pooch.file_hash(file) != known_hash.lower():
        raise FileExistsError(
            f"{file} was there before, and known_hash is not the SHA-256 of it; {remedy}"
        )


def _check_contents(file: Path, name: str, max_bytes: int) -> None:
    """Delete a download that holds no data set, and raise an error."""
    try:
        with open_source(file, max_bytes):
            pass
    except (ValueError, OSError) as error:
        file.unlink()
        raise OSError(f"the download of {name} is not a data set: {error}") from error


def _check_zip(file: Path, max_bytes: int) -> None:
    """Refuse a zip that is incomplete, damaged or too large."""
    try:
        with zipfile.ZipFile(file) as archive:
            checked_members(file, archive, max_bytes)
            damaged = archive.testzip()
    except DAMAGED as error:
        raise ValueError(f"it is not a complete zip ({error})") from error
    if damaged is not None:
        raise ValueError(f"its member {damaged} is damaged")
