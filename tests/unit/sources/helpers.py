"""What the tests of sources share: a web server on this machine, loading one data set."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from bakeoff.data import load_table
from bakeoff.data.given_predictions import load as read
from bakeoff.spec import load_experiment
from tests.conftest import ROOT

PENGUINS = ROOT / "config/data/penguins.csv"


class Server:
    def __init__(self):
        self.pages = {}
        self.asked = []
        self.failures = 0
        self.cut = 0
        self.missing = 404
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                outer.asked.append(self.path)
                page = outer.pages.get(self.path)
                if outer.failures:
                    outer.failures -= 1
                    self.send_error(500)
                elif page is None:
                    self.send_error(outer.missing)
                else:
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(page)))
                    self.end_headers()
                    self.wfile.write(page[: len(page) - outer.cut])
                    outer.cut = 0

            def log_message(self, *args):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def experiment(tiny, **data):
    return load_experiment(tiny | {"datasets": {"d": data}})


def card_of(**data):
    """Return what is told of a data set once it is loaded."""
    models = {"m": {"estimator": "sklearn.dummy.DummyClassifier"}}
    config = {
        "experiment": "e",
        "datasets": {"d": data},
        "models": models,
    }
    return read("d", load_experiment(config)).card


def load(made):
    return load_table("d", made.datasets["d"], made.seed)
