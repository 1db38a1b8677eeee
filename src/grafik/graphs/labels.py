"""Labels: values of any simple type, stored once each, with a 64-bit hash of their content."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from typing import Any, TypeAlias, Union, overload

import numpy as np
from numpy.typing import NDArray

from ..arrays.gate import checked_column
from ..arrays.offsets import frozen

Label: TypeAlias = Union[str, int, float, bool, tuple["Label", ...], None]  # noqa: UP007

# Integers from a range up to this size are encoded with a table, without sorting them,
_TABLE_SIZE = 1 << 20
# in blocks of this many, so that no long copies are made.
_BLOCK = 1 << 18


class Labels(Sequence[Label]):
    """One label per vertex or edge: frozen, with each distinct label stored once.

    Two labels are equal when they have the same type and the same value: ``1``, ``True``, ``1.0``
    and ``"1"`` are four labels. NumPy scalars count as the Python type they stand for, and
    ``-0.0`` as ``0.0``. A label may be a string, an integer, a bool, a finite float, None, or a
    tuple of these.

    Parameters
    ----------
    items : sequence, or ndarray of shape (n,) or (n, c)
        The labels; with several columns each row becomes a tuple.
    where : callable
        Names the item at a position, for error messages.

    Attributes
    ----------
    values : tuple
        The distinct labels, each once.
    codes : ndarray of int32, shape (n,)
        Position of each item's label in `values`.
    hashes : ndarray of uint64, shape (n,)
        Hash of each item's label, equal in every process and on every machine.

    Examples
    --------
    >>> from grafik.graphs.labels import Labels
    >>> labels = Labels(["C", "O", "C", 7])
    >>> labels.values, labels.codes.tolist(), labels[2]
    (('C', 'O', 7), [0, 1, 0, 2], 'C')
    """

    __slots__ = ("_hashes", "codes", "values")

    values: tuple[Label, ...]
    codes: NDArray[np.int32]
    _hashes: NDArray[np.uint64] | None

    def __init__(self, items: Any, where: Callable[[int], str] = "label {}".format) -> None:
        self._set(*encode(items, where))

    def _set(self, values: tuple[Label, ...], codes: NDArray[np.int32]) -> None:
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "codes", frozen(codes))
        object.__setattr__(self, "_hashes", None)

    @classmethod
    def trusted(cls, values: tuple[Label, ...], codes: NDArray[np.int32]) -> Labels:
        """Wrap distinct values and codes that were checked before; the codes become read-only."""
        labels = object.__new__(cls)
        labels._set(values, codes)
        return labels

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("Labels are frozen")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("Labels are frozen")

    def __reduce__(self) -> tuple[Any, ...]:
        return Labels._received, (self.values, self.codes)

    @classmethod
    def _received(cls, values: tuple[Label, ...], codes: Any) -> Labels:
        """Wrap values and codes that another process sent."""
        return cls.trusted(
            values, checked_column(codes, "codes", np.int32, None, 0, len(values) - 1)
        )

    @classmethod
    def concat(cls, parts: Sequence[Labels]) -> Labels:
        """Join several columns of labels into one."""
        if all(part.values is parts[0].values for part in parts):
            return cls.trusted(parts[0].values, np.concatenate([part.codes for part in parts]))
        values: list[Label] = []
        known: dict[bytes, int] = {}
        codes = []
        for part in parts:
            table = np.empty(len(part.values), np.int32)
            for code, value in enumerate(part.values):
                key = content(value)
                if key not in known:
                    known[key] = len(values)
                    values.append(value)
                table[code] = known[key]
            codes.append(table[part.codes])
        return cls.trusted(tuple(values), np.concatenate(codes))

    def take(self, which: slice | NDArray[np.int64]) -> Labels:
        """Return the labels at some positions."""
        return Labels.trusted(self.values, self.codes[which]).compact()

    def compact(self) -> Labels:
        """Return the same labels without values that do not occur."""
        if len(self.codes) < len(self.values):
            used: NDArray[np.integer[Any]] = np.unique(self.codes)
        else:
            used = np.flatnonzero(np.bincount(self.codes, minlength=len(self.values)))
        if len(used) == len(self.values):
            return self
        codes = np.searchsorted(used, self.codes).astype(np.int32)
        return Labels.trusted(tuple(self.values[i] for i in used), codes)

    @property
    def hashes(self) -> NDArray[np.uint64]:
        """The 64-bit content hash of every item."""
        if self._hashes is None:
            table = np.array([content_hash(value) for value in self.values], np.uint64)
            object.__setattr__(self, "_hashes", frozen(table[self.codes]))
        assert self._hashes is not None
        return self._hashes

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, index: int) -> Label: ...
    @overload
    def __getitem__(self, index: slice) -> Labels: ...
    def __getitem__(self, index: int | slice) -> Label | Labels:
        if isinstance(index, slice):
            return self.take(index)
        return self.values[int(self.codes[index])]

    def __iter__(self) -> Iterator[Label]:
        return map(self.values.__getitem__, self.codes.tolist())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Labels):
            return NotImplemented
        if len(self) != len(other):
            return False
        codes = Labels.concat([self, other]).codes
        return np.array_equal(codes[: len(self)], codes[len(self) :])

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self[:5])) + (", ..." if len(self) > 5 else "")
        return f"Labels([{shown}], {len(self)} items, {len(self.values)} values)"


_DEEPEST = 100  # tuples within tuples
ALLOWED = "strings, integers, bools, finite floats, None or tuples of these"


def encode(
    items: Any, where: Callable[[int], str] = "label {}".format
) -> tuple[tuple[Label, ...], NDArray[np.int32]]:
    """Return the distinct labels, and each item's position among them in a fresh array."""
    if isinstance(items, Labels):
        return items.values, items.codes.copy()
    if isinstance(items, np.ma.MaskedArray):
        _refuse_masked(items, where)
        items = items.data
    if isinstance(items, np.ndarray) and items.dtype.kind in "iubfU":
        return _encode_array(items, where)
    if isinstance(items, np.ndarray) and items.dtype.kind != "O":
        raise ValueError(f"labels must be {ALLOWED}, got an array of {items.dtype}")
    return _encode_list(list(items), where)


def _refuse_masked(items: np.ma.MaskedArray[Any, Any], where: Callable[[int], str]) -> None:
    """Name the first label that is masked: what stands behind a mask was not meant."""
    masked = np.ma.getmaskarray(items)
    if masked.any():
        first = int(np.argwhere(masked)[0][0])
        raise ValueError(f"{where(first)}: a label must not be masked; fill the gaps")


def content(value: Any, depth: int = 0) -> bytes:
    """Return a label as bytes that are unique to its type and value.

    Examples
    --------
    >>> from grafik.graphs.labels import content
    >>> [content(x) for x in (1, True, 1.0, "1", None, (1, "a"))]
    [b'i1', b'b1', b'f0x1.0000000000000p+0', b's1', b'n', b't2:i12:sa']
    """
    if value is None:
        return b"n"
    if isinstance(value, str):
        return b"s" + value.encode("utf-8", "surrogatepass")
    if isinstance(value, (bool, np.bool_)):
        return b"b1" if value else b"b0"
    if isinstance(value, (int, np.integer)):
        return b"i%d" % int(value)
    if isinstance(value, (float, np.floating)):
        if not math.isfinite(value):
            raise ValueError(f"a label must be finite, got {float(value)}")
        return b"f" + (float(value) + 0.0).hex().encode()
    if isinstance(value, tuple):
        if depth == _DEEPEST:
            raise ValueError(f"labels must not be nested deeper than {_DEEPEST} tuples")
        parts = [content(item, depth + 1) for item in value]
        return b"t" + b"".join(b"%d:%b" % (len(part), part) for part in parts)
    raise ValueError(f"labels must be {ALLOWED}, got {value!r} of type {type(value).__name__}")


def content_hash(value: Any) -> int:
    """Return the first 64 bits of the BLAKE2b hash of a label's content."""
    return int.from_bytes(blake2b(content(value), digest_size=8).digest(), "little")


def _plain(value: Any) -> Label:
    """Return a label with NumPy scalars and subclasses replaced by plain Python types."""
    if value is None:
        return None
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    for kind, numpy_kind in ((bool, np.bool_), (int, np.integer), (float, np.floating)):
        if isinstance(value, (kind, numpy_kind)):
            return kind(value) + 0.0 if kind is float else kind(value)
    return str.__str__(value)  # not str(value), which a string Enum overrides


class _Codes(dict[Any, int]):
    """Codes by (type, value); a key that is not known yet gets the code of its content."""

    def __init__(self) -> None:
        self.values_seen: list[Label] = []
        self.by_content: dict[bytes, int] = {}

    def __missing__(self, key: tuple[type, Any]) -> int:
        code = self.of(key[1])
        self[key] = code
        return code

    def of(self, value: Any) -> int:
        written = content(value)
        code = self.by_content.setdefault(written, len(self.values_seen))
        if code == len(self.values_seen):
            self.values_seen.append(_plain(value))
        return code


def _encode_list(
    items: list[Any], where: Callable[[int], str]
) -> tuple[tuple[Label, ...], NDArray[np.int32]]:
    codes = _Codes()
    types = set(map(type, items))
    try:
        if any(issubclass(kind, tuple) for kind in types):
            # (1, True) and (1, 1) are the same dictionary key, but have different contents.
            found = map(codes.of, items)
        else:
            found = map(codes.__getitem__, zip(map(type, items), items, strict=True))
        column = np.fromiter(found, np.int32, len(items))
    except (ValueError, TypeError):
        for position, item in enumerate(items):
            try:
                content(item)
            except ValueError as error:
                raise ValueError(f"{where(position)}: {error}") from None
        raise
    return tuple(codes.values_seen), column


def _encode_array(
    items: NDArray[Any], where: Callable[[int], str]
) -> tuple[tuple[Label, ...], NDArray[np.int32]]:
    if items.ndim == 2 and items.shape[1] == 1:
        items = items[:, 0]
    if items.ndim > 2 or items.ndim == 0 or items.shape[1:] == (0,):
        raise ValueError(f"labels must have one or two dimensions, got shape {items.shape}")
    if items.dtype.kind == "f":
        items = items.astype(np.float64)
        finite = np.isfinite(items) if items.ndim == 1 else np.isfinite(items).all(axis=1)
        if not finite.all():
            first = int(np.argmin(finite))
            raise ValueError(f"{where(first)}: a label must be finite, got {items[first]}")
        items = items + 0.0
    if items.ndim == 2:
        rows, codes = np.unique(items, axis=0, return_inverse=True)
        return tuple(tuple(row) for row in rows.tolist()), codes.reshape(-1).astype(np.int32)
    if items.dtype.kind in "iu" and items.size:
        low, high = int(items.min()), int(items.max())
        if high - low < _TABLE_SIZE and low > -(2**62) and high < 2**62:
            return _encode_small_range(items, low, high)
    distinct, codes = np.unique(items, return_inverse=True)
    return tuple(distinct.tolist()), codes.astype(np.int32)


def _encode_small_range(
    items: NDArray[Any], low: int, high: int
) -> tuple[tuple[Label, ...], NDArray[np.int32]]:
    """Encode integers between `low` and `high` in linear time, a block at a time."""
    blocks = [slice(start, start + _BLOCK) for start in range(0, len(items), _BLOCK)]
    used = np.zeros(high - low + 1, bool)
    for block in blocks:
        used[items[block].astype(np.int64) - low] = True
    table = np.cumsum(used, dtype=np.int32) - np.int32(1)
    codes = np.empty(len(items), np.int32)
    for block in blocks:
        codes[block] = table[items[block].astype(np.int64) - low]
    return tuple((np.flatnonzero(used) + low).tolist()), codes
