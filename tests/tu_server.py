"""A server on this machine that offers a small data set as a zip, or answers badly."""

import io
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tu_files import members


def archive(names=members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in names():
            member = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))  # the same bytes at any time
            file.writestr(member, text, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


class Server:
    """Answers each request with the next of `answers`, the last one again and again."""

    def __init__(self):
        self.answers, self.requests = [archive()], []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                outer.requests.append(self.path)
                answers = outer.answers
                answer = answers.pop(0) if len(answers) > 1 else answers[0]
                status, body, length = 200, answer, None
                if isinstance(answer, int):
                    status, body = answer, b""
                elif isinstance(answer, tuple):
                    body, length = answer
                self.send_response(status)
                if length != "unknown":
                    self.send_header("Content-Length", str(length or len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/data"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
