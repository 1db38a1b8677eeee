"""What is there already in processes that are forked: modules, and loops that are compiled."""

from grafik import FiltrationKernel, datasets

FiltrationKernel().fit_transform(datasets.csl(copies=1)[0])
