"""The arguments and options of all commands."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from .messages import silence

# Data
Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A TU folder or zip, a Parquet file, a table of molecules (.csv or .tsv with a column "
        "of SMILES, or .sdf), a graph6 file (.g6), 'csl', or the name of a TU data set such as "
        "MUTAG: looked up in the folder that GRAFIK_DATA names, else downloaded once.",
        show_default=False,
    ),
]
DataOrResults = Annotated[
    str,
    typer.Argument(
        metavar="DATA|RESULTS",
        help="Data as for other commands, or a folder that 'grafik evaluate --out' wrote.",
        show_default=False,
    ),
]
DataOfResults = Annotated[
    str | None,
    typer.Option(
        help="With results: the data they were computed on, if it is not found by its name.",
        show_default=False,
    ),
]
DataFolder = Annotated[
    Path | None,
    typer.Option(
        help="Folder with the TU data sets DHFR, NCI1, PTC_MR, IMDB-BINARY, EGO-1, ..., and with "
        "BREC/pairs.tsv; those that are not there are listed as missing.",
        show_default="that of GRAFIK_DATA",
    ),
]
OnlyData = Annotated[
    str, typer.Option(help="Run only these data sets, separated by commas.", show_default=False)
]
LabelFile = Annotated[
    Path | None,
    typer.Option(
        "--labels",
        help="Text file with the class or target of each graph, one per line; needed for Parquet "
        "files.",
        show_default=False,
    ),
]
Number = Annotated[int, typer.Argument(help="Number of a graph, counted from 0.")]
IdOrNumber = Annotated[
    str, typer.Argument(help="Id of a graph, or its number, counted from 0.", show_default=False)
]

# Kernels


class Masses(StrEnum):
    """How masses are compared."""

    linear = "linear"
    min = "min"


OneWeight = Annotated[
    str,
    typer.Option(
        "--weight",
        help="Edge weight by which graphs are built up: degree, walks, walks:3, triangles, core, "
        "jaccard, betweenness, curvature, attribute, attribute:small (for distances), "
        "node-distance, ...",
    ),
]
Weight = Annotated[
    str,
    typer.Option(
        help="Edge weight by which graphs are built up: degree, walks, walks:3, triangles, core, "
        "jaccard, betweenness, curvature, attribute, attribute:small (for distances), "
        "node-distance, ...; several joined by +, as in degree+curvature, are used together: the "
        "kernel is the mean of theirs."
    ),
]
Levels = Annotated[int, typer.Option(help="Number of levels.")]
Depth = Annotated[int, typer.Option(help="Rounds of Weisfeiler-Lehman labels.")]
Gamma = Annotated[float, typer.Option(help="How much it matters at which levels a feature occurs.")]
Mass = Annotated[
    Masses,
    typer.Option(
        help="Compare how often a feature occurs in two graphs by the product of both numbers "
        "(linear), or by the smaller one (min)."
    ),
]
Sigma = Annotated[
    float | None,
    typer.Option(
        help="Put a Gaussian on top of the kernel, such as 4: the higher it is, the less do graphs "
        "count that are far apart.",
        show_default="no Gaussian",
    ),
]
Normalize = Annotated[bool, typer.Option(help="Cosine-normalise the kernel, or leave it as it is.")]
EdgeLabels = Annotated[
    bool | None,
    typer.Option(
        "--edge-labels/--no-edge-labels",
        help="Count edge labels, or do without, as the paper does.",
        show_default="count them if the graphs have any",
    ),
]
Product = Annotated[
    bool, typer.Option("--product", help="Multiply base kernels instead of adding them.")
]
Beta = Annotated[float, typer.Option(help="For products: how much masses matter.")]

# The kernel of a report; its default values depend on the results.
ShownWeight = Annotated[
    str | None,
    typer.Option(
        help="Edge weight of the kernel that is shown, or several joined by +.",
        show_default="the best one's",
    ),
]
ShownLevels = Annotated[
    int | None, typer.Option(help="Its number of levels.", show_default="the best one's, or 3")
]
ShownDepth = Annotated[
    int | None, typer.Option(help="Its depth.", show_default="the best one's, or 3")
]
ShownGamma = Annotated[
    float | None, typer.Option(help="Its gamma.", show_default="the best one's, or 1")
]
ShownMass = Annotated[
    Masses | None,
    typer.Option(help="How masses are compared in it.", show_default="the best one's, or linear"),
]
ShownSigma = Annotated[
    float | None,
    typer.Option(help="Put a Gaussian on top of it.", show_default="no Gaussian"),
]
ShownEdgeLabels = Annotated[
    bool | None,
    typer.Option(
        "--edge-labels/--no-edge-labels",
        help="Whether edge labels count in it.",
        show_default="the best one's, or if the graphs have any",
    ),
]

# Evaluations


class ProtocolName(StrEnum):
    """How thorough the evaluation is."""

    paper = "paper"
    quick = "quick"


class LearnedFrom(StrEnum):
    """Which graphs thresholds are learned from."""

    train = "train"
    all = "all"


class Experiment(StrEnum):
    """Tables and figures of the paper, and beyond it."""

    csl = "csl"
    accuracy = "accuracy"
    levels = "levels"
    runtime = "runtime"
    beyond = "beyond"
    expressiveness = "expressiveness"
    all = "all"


_PROTOCOLS = "the protocol's"
Kernels = Annotated[
    str,
    typer.Option(
        "--kernel",
        "--methods",
        "-k",
        help="Names separated by commas: fwl-d, fwl-rw, wl, wl-oa, w-wl, p-wl, core-wl, sp, "
        "gs, ve-hist; fwl- and a weight, such as fwl-triangles, or several, such as "
        "fwl-degree+core-min-gaussian; or the default model: default, default-quick, "
        "default-thorough.",
    ),
]
ProtocolOption = Annotated[
    ProtocolName,
    typer.Option(
        help="'paper': 10 repeats of 10 folds and the full grid. 'quick': one repeat and a thin "
        "grid, for a first look."
    ),
]
Repeats = Annotated[
    int | None,
    typer.Option(help="How often to shuffle and cut into folds.", show_default=_PROTOCOLS),
]
FewerRepeats = Annotated[
    int | None,
    typer.Option(
        "--repeats",
        help="Run at most this many repeats of each data set; more can be added later.",
        show_default="as planned",
        min=1,
    ),
]
Folds = Annotated[
    int | None, typer.Option("--folds", help="Number of outer folds.", show_default="10")
]
TriedLevels = Annotated[
    str | None,
    typer.Option(help="Numbers of levels to try: 1-10 or 1,3,5.", show_default=_PROTOCOLS),
]
TriedDepths = Annotated[
    str | None, typer.Option(help="Depths to try: 1-5 or 1,3.", show_default=_PROTOCOLS)
]
TriedGammas = Annotated[
    str | None, typer.Option(help="Gammas to try: 0.5,1 or 2^-3,2^3.", show_default=_PROTOCOLS)
]
TriedSigmas = Annotated[
    str | None,
    typer.Option(help="Sigmas of Gaussians to try, likewise.", show_default=_PROTOCOLS),
]
TriedCs = Annotated[
    str | None, typer.Option("--Cs", help="Values of C to try, likewise.", show_default=_PROTOCOLS)
]
ThresholdsFrom = Annotated[
    LearnedFrom,
    typer.Option(
        help="Learn thresholds from each training part, or from all graphs as the paper did, so "
        "that the test part influences them."
    ),
]
NormalizeAll = Annotated[
    bool, typer.Option(help="Cosine-normalise the kernels, or leave them as they are.")
]
Accuracy = Annotated[
    bool,
    typer.Option(help="Measure the accuracy of kernels, which takes the longest, or skip it."),
]
ExperimentName = Annotated[
    Experiment,
    typer.Argument(
        help="csl: which regular graphs are told apart. accuracy: all ten methods on all data "
        "sets. levels: how the number of levels matters. runtime: seconds for each kernel. beyond: "
        "the default model beside the best of the paper's methods. expressiveness: which graphs "
        "each weight tells apart, beside 3-WL."
    ),
]
TablesOnly = Annotated[
    bool, typer.Option("--tables-only", help="Only make tables and pictures again.")
]
SeedOfFolds = Annotated[int, typer.Option(help="Seed of the folds.")]
SeedOfReport = Annotated[int, typer.Option(help="Seed of the folds and of the sample.", min=0)]

# How the work is done

Jobs = Annotated[
    int, typer.Option("--jobs", "-j", help="Processes or threads; -1: one per processor.")
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        help="Address of a Dask scheduler, such as tcp://host:8786; its workers do the work.",
        show_default=False,
    ),
]
Memory = Annotated[float, typer.Option(help="Gigabytes that the blocks of a .npy file may take.")]

# What is shown

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        callback=silence,
        help="Print results and mistakes only: no progress, warnings or names of files.",
    ),
]
Top = Annotated[int, typer.Option(help="Number of features to show.", min=1)]
MostGraphs = Annotated[
    int, typer.Option("--graphs", help="Show at most this many graphs, a sample of all.", min=2)
]
Feature = Annotated[
    str | None,
    typer.Option(
        help="What to follow: 'DEPTH:FEATURE', such as 1:0x97a9, or 'vertex:V', the label that "
        "vertex V has in the whole graph. By default the label that changes most.",
        show_default=False,
    ),
]
FeatureDepth = Annotated[int, typer.Option(help="Depth of the label, with 'vertex:V'.")]

# Files that are written

MatrixOut = Annotated[
    Path,
    typer.Option(
        help="File to write: K.npz, or K.npy for a matrix that does not fit in memory.",
        show_default=False,
    ),
]
PictureOut = Annotated[
    Path, typer.Option(help="Picture to write: .svg, .png or .pdf.", show_default=False)
]
PageOut = Annotated[
    Path | None,
    typer.Option(
        help="Write a page instead, such as page.html: both graphs, and where and at which levels "
        "each feature occurs in them.",
        show_default=False,
    ),
]
ReportOut = Annotated[
    Path, typer.Option(help="Page to write, such as report.html.", show_default=False)
]
ResultsOut = Annotated[
    Path | None,
    typer.Option(
        help="Folder for results. Each fold is written when it is done; the same command "
        "started again goes on where it stopped.",
        show_default=False,
    ),
]
ExperimentsOut = Annotated[
    Path | None,
    typer.Option(
        help="Folder for tables, pictures and results.",
        show_default="experiments, or experiments-quick",
    ),
]
