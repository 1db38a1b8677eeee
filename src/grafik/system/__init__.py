"""The machine: threads, processes, memory, files and versions."""
