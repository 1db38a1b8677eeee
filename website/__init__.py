"""The documentation site: what MkDocs needs to know of this repository (``./run docs``)."""
