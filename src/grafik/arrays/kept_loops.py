"""Compiled loops on disk: numba's files, each with a checksum, so that damaged ones are not run."""

from __future__ import annotations

import hashlib
import os
import pickle
import warnings
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile

_SIZE = hashlib.sha256().digest_size
_warned = False


class KeptLoops(FunctionCache):
    """The compiled forms of a loop on disk; where these cannot be written, loops work all the same.

    numba runs whatever stands in its files. Here a file that is damaged, of another source or of
    another loop is as good as none: the loop is compiled anew, and the file replaced.

    Parameters
    ----------
    function : callable
        The loop before it is compiled.
    """

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self._cache_file = _CheckedFiles(
            cache_path=self._cache_path,
            filename_base=self._impl.filename_base,
            source_stamp=self._impl.locator.get_source_stamp(),
        )

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write a compiled form, or warn once that this is not possible."""
        global _warned
        try:
            super().save_overload(sig, data)
        except OSError as error:
            if not _warned:
                _warned = True
                # Some errors have no number, but a text.
                reason = os.strerror(error.errno) if error.errno else str(error)
                warnings.warn(
                    f"grafik cannot keep its compiled loops in {self._cache_path} ({reason}). Each "
                    "process compiles them anew, which may take a minute; make room, or set the "
                    "environment variable NUMBA_CACHE_DIR to another folder",
                    RuntimeWarning,
                    stacklevel=2,
                )


class _CheckedFiles(IndexDataCacheFile):
    """The index of a loop and its compiled forms, as numba keeps them, but checked."""

    def save(self, key: Any, data: Any) -> None:
        # An index that was lost may give a name to another form than before.
        super().save(key, (key, data))

    def load(self, key: Any) -> Any:
        found = super().load(key)
        return found[1] if found is not None and found[0] == key else None

    def _load_index(self) -> dict[Any, str]:
        data = self._read(self._index_path)
        return {} if data is None else pickle.loads(data)  # noqa: S301

    def _save_index(self, overloads: dict[Any, str]) -> None:
        self._write(self._index_path, self._dump(overloads))

    def _load_data(self, name: str) -> Any:
        data = self._read(self._data_path(name))
        return None if data is None else pickle.loads(data)  # noqa: S301

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), self._dump(data))

    def _read(self, path: str) -> bytes | None:
        """Return what was written to a file; None if it is not there or something else."""
        try:
            content = Path(path).read_bytes()
        except OSError:
            return None
        data = content[_SIZE:]
        return data if content[:_SIZE] == self._checksum(path, data) else None

    def _write(self, path: str, data: bytes) -> None:
        with self._open_for_write(path) as file:
            file.write(self._checksum(path, data) + data)

    def _checksum(self, path: str, data: bytes) -> bytes:
        """Return the SHA-256 of data, and of all that makes them useless if it is another."""
        about = f"{Path(path).name} {self._version} {self._source_stamp}\n"
        return hashlib.sha256(about.encode() + data).digest()
