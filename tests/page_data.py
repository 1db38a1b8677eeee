"""What a page of a report holds: its scripts, its elements, and its data."""

import json
from html.parser import HTMLParser


class Blocks(HTMLParser):
    """What a parser takes for scripts, and for elements."""

    def __init__(self, text):
        super().__init__()
        self.scripts, self.tags = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, text):
        if self.lasttag == "script" and self.scripts:
            self.scripts[-1] += text


def data_in(path):
    return json.loads(Blocks(path.read_text("ascii")).scripts[0])
