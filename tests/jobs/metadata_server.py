#!/usr/bin/env python3
"""The metadata service of a cloud on the loopback, with its faults, for tests of notices.

    metadata_server.py {aws|gcp|azure} [--port P] [--notice-after S]     prints its address, and serves until it is ended
"""
import argparse
import email.utils
import http.server
import json
import threading
import time


class MetadataServer:
    """`notice` is what the cloud has to say: None, or for
    aws    {"action": "terminate", "time": ...}     (`rebalance` beside it: {"noticeTime": ...})
    gcp    True
    azure  a list of events.
    `fault` is what goes wrong with every answer but that for tokens: None, a number (that code of HTTP), "hang", "slow", "big", "redirect", "garbage",
    "drop", "chunked", "gzip", "flavor"; `token` a code for tokens, or None."""

    def __init__(self, cloud, name="this-vm", port=0):
        self.cloud, self.name = cloud, name
        self.notice, self.rebalance, self.fault, self.token = None, None, None, None
        self.tokens, self.requests, self.acknowledged, self.redirected = ["token-1"], [], [], 0
        self.changed = threading.Condition()
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                server.requests.append((self.path, dict(self.headers)))
                server.answer(self)

            def do_PUT(self):
                server.requests.append((self.path, dict(self.headers)))
                if server.cloud != "aws" or self.path != "/latest/api/token":
                    return self.reply(404)
                if server.token:
                    return self.reply(server.token)
                if "X-aws-ec2-metadata-token-ttl-seconds" not in self.headers:
                    return self.reply(400)
                self.reply(200, server.tokens[-1])

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                server.acknowledged.append((time.time(), json.loads(body)))
                self.reply(200, "{}")

            def reply(self, code, body="", headers=()):
                data = body if isinstance(body, bytes) else body.encode()
                self.send_response(code)
                for key, value in headers:
                    self.send_header(key, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.http.daemon_threads = True
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.http.server_address[1]}"

    def close(self):
        self.http.shutdown()
        self.http.server_close()

    def say(self, notice):
        with self.changed:
            self.notice = notice
            self.changed.notify_all()

    def answer(self, request):
        if self.fault is not None and not request.path.startswith("/latest/api/token"):
            return self.answer_wrongly(request)
        getattr(self, "answer_" + self.cloud)(request)

    def answer_aws(self, request):
        if request.headers.get("X-aws-ec2-metadata-token") != self.tokens[-1]:
            return request.reply(401)
        if request.path == "/latest/meta-data/spot/instance-action" and self.notice:
            return request.reply(200, json.dumps(self.notice))
        if request.path == "/latest/meta-data/events/recommendations/rebalance" and self.rebalance:
            return request.reply(200, json.dumps(self.rebalance))
        request.reply(404)

    def answer_gcp(self, request):
        if request.headers.get("Metadata-Flavor") != "Google":
            return request.reply(403)
        path, _, query = request.path.partition("?")
        flavor = [("Metadata-Flavor", "Google")]
        if path != "/computeMetadata/v1/instance/preempted":
            return request.reply(200, "", flavor)
        asked = dict(pair.split("=") for pair in query.split("&") if "=" in pair)
        etag = lambda: "bb" if self.notice else "aa"
        with self.changed:
            if asked.get("wait_for_change") == "true" and asked.get("last_etag") == etag():
                self.changed.wait(float(asked.get("timeout_sec", 60)))
            value = "TRUE" if self.notice else "FALSE"
            tag = etag()
        request.reply(200, value, [*flavor, ("ETag", tag)])

    def answer_azure(self, request):
        if request.headers.get("Metadata") != "true":
            return request.reply(400)
        if request.path.startswith("/metadata/instance/compute/name"):
            return request.reply(200, self.name)
        if request.path.startswith("/metadata/scheduledevents"):
            return request.reply(200, json.dumps({"DocumentIncarnation": 1, "Events": self.notice or []}))
        request.reply(404)

    def answer_wrongly(self, request):
        fault, headers = self.fault, [("Metadata-Flavor", "Google")]
        if isinstance(fault, int):
            return request.reply(fault)
        if fault == "hang":
            time.sleep(3)
            request.close_connection = True
        elif fault == "slow":
            request.send_response(200)
            request.send_header("Content-Length", "1000")
            request.end_headers()
            try:
                for _ in range(10):
                    request.wfile.write(b"x")
                    request.wfile.flush()
                    time.sleep(0.5)
            except OSError:
                pass
            request.close_connection = True
        elif fault == "big":
            try:
                request.reply(200, b"A" * 10_000_000, headers)
            except OSError:
                request.close_connection = True
        elif fault == "redirect":
            if request.path == "/elsewhere":
                self.redirected += 1
            request.reply(302, "", [("Location", self.address + "/elsewhere")])
        elif fault == "garbage":
            request.reply(200, b'\xff\x00{"action": [[[[', headers)
        elif fault == "drop":
            request.close_connection = True
        elif fault == "chunked":
            request.send_response(200)
            request.send_header("Transfer-Encoding", "chunked")
            request.end_headers()
            request.wfile.write(b"5\r\nhello\r\nZZ\r\n")
            request.close_connection = True
        elif fault == "gzip":
            request.reply(200, b"\x1f\x8b\x08\x00garbage", [*headers, ("Content-Encoding", "gzip")])
        elif fault == "flavor":
            request.reply(200, "TRUE")


def aws_action(action="terminate", seconds=120):
    return {"action": action, "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))}


def azure_event(kind="Preempt", machines=("this-vm",), seconds=30, status="Scheduled", identity="A-1"):
    return {"EventId": identity, "EventType": kind, "ResourceType": "VirtualMachine", "Resources": list(machines), "EventStatus": status,
            "NotBefore": email.utils.formatdate(time.time() + seconds, usegmt=True)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("cloud", choices=["aws", "gcp", "azure"])
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--notice-after", type=float)
    arguments = parser.parse_args()
    service = MetadataServer(arguments.cloud, port=arguments.port)
    print(service.address, flush=True)
    if arguments.notice_after is not None:
        time.sleep(arguments.notice_after)
        service.say({"aws": aws_action(), "gcp": True, "azure": [azure_event()]}[arguments.cloud])
    service.thread.join()
