"""What the results of an evaluation depend on: the first line of a result file, as a value."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from ..arrays.checks import is_integer


@dataclass(frozen=True)
class DataRecord:
    """The graphs and their classes.

    Attributes
    ----------
    name : str or None
    sha256 : str
        Digest of graphs and classes.
    n_graphs : int
    classes : list of str
    n_groups : int, optional
        Number of groups that no fold tears apart.
    groups : str, optional
        SHA-256 of which graphs are together.
    """

    name: str | None
    sha256: str
    n_graphs: int
    classes: list[str]
    n_groups: int | None = None
    groups: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the record in the form of result files, which name groups only if there are."""
        left_out = ("n_groups", "groups") if self.groups is None else ()
        return {name: one for name, one in asdict(self).items() if name not in left_out}


@dataclass(frozen=True)
class MethodRecord:
    """A kernel and the parameters that were tried.

    Attributes
    ----------
    title : str
        Name in tables and pictures.
    kernel : str
        The kernel with all its options.
    grid : dict
        Values that were tried, such as ``{"depths": [1, 3]}``.
    """

    title: str
    kernel: str
    grid: dict[str, list[Any]]


@dataclass(frozen=True)
class ProtocolRecord:
    """The part of a :class:`~grafik.evaluation.Protocol` that is the same for all methods.

    Attributes
    ----------
    name : str
    repeats, n_splits, inner_splits : int
    Cs : list of float
        Values of C that were tried.
    changed : list of str
        Parameters whose values differ from those of the protocol with this name.
    """

    name: str
    repeats: int
    n_splits: int
    inner_splits: int
    Cs: list[float]
    changed: list[str]


@dataclass(frozen=True)
class Header:
    """Data, methods, protocol, seeds and versions of an evaluation.

    Attributes
    ----------
    data : DataRecord
    methods : dict of MethodRecord
        By name, in the order of tables.
    protocol : ProtocolRecord
    random_state : int
    folds : list of list of int
        For each repeat the outer fold in which each graph is tested.
    thresholds_from : {"train", "all"}
    normalize : bool
    versions : dict of str
        Versions of packages.
    """

    data: DataRecord
    methods: dict[str, MethodRecord]
    protocol: ProtocolRecord
    random_state: int
    folds: list[list[int]]
    thresholds_from: str
    normalize: bool
    versions: dict[str, str]

    def to_json(self) -> dict[str, Any]:
        """Return the header in the form of result files."""
        return {
            **vars(self),
            "data": self.data.to_json(),
            "order": list(self.methods),  # files sort the names of an object
            "methods": {name: asdict(method) for name, method in self.methods.items()},
            "protocol": asdict(self.protocol),
        }

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Header:
        """Return the header of a result file; refuse anything else."""
        rest = {name: value for name, value in found.items() if name not in ("format", "order")}
        try:
            for name in ("data", "methods", "protocol"):
                if not isinstance(found[name], dict):
                    raise TypeError(f"{name} is no object")
            rest["data"] = DataRecord(**found["data"])
            rest["methods"] = {n: MethodRecord(**found["methods"][n]) for n in found["order"]}
            rest["protocol"] = ProtocolRecord(**found["protocol"])
            header = cls(**rest)
            header._refuse_other_types()
            return header
        except (LookupError, TypeError, AttributeError) as error:
            raise ValueError(
                f"not the header of an evaluation by this version of grafik ({error})"
            ) from error

    def _refuse_other_types(self) -> None:
        """Refuse what summaries cannot use, such as more folds than graphs."""
        data, protocol = self.data, self.protocol
        texts = [protocol.name, self.thresholds_from, data.sha256, *data.classes, *protocol.changed]
        texts += [text for one in self.methods.values() for text in (one.title, one.kernel)]
        texts += [data.name] if data.name is not None else []
        sizes = [data.n_graphs, protocol.repeats, protocol.n_splits, protocol.inner_splits]
        sizes += [data.n_groups] if data.n_groups is not None else []
        if not all(isinstance(text, str) for text in texts) or not all(map(is_integer, sizes)):
            raise TypeError("a name is no text, or a size no integer")
        if not isinstance(protocol.Cs, list):
            raise TypeError("values of C that are no list")
        if not 0 < protocol.n_splits <= data.n_graphs or len(self.folds) != protocol.repeats:
            raise TypeError(
                f"{protocol.n_splits} folds of {data.n_graphs} graphs, repeated "
                f"{protocol.repeats} times"
            )
        if any(len(fold) != data.n_graphs for fold in self.folds) or not self.methods:
            raise TypeError("folds that are not of these graphs, or no methods")
        numbers = [number for fold in self.folds for number in fold]
        if not all(is_integer(one) and 0 <= one < protocol.n_splits for one in numbers):
            raise TypeError(f"a fold that is none of {protocol.n_splits}")

    def extends(self, before: Header) -> bool:
        """Tell whether all units of another evaluation are units of this one too.

        This one may have further methods and repeats; all else must be the same.
        """
        repeats = before.protocol.repeats
        cut = replace(
            self,
            methods={name: one for name, one in self.methods.items() if name in before.methods},
            protocol=replace(self.protocol, repeats=repeats),
            folds=self.folds[:repeats],
        )
        return cut == before
