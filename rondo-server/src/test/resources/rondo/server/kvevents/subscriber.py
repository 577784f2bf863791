"""A subscriber of KV events with libzmq and msgpack, as routers in Python are.

Arguments: endpoint, replay endpoint, format, topic. It prints "ready"; for each line "N" on the standard input it applies
all batches below N, live or replayed, and prints the blocks that it then believes to be cached, as JSON.
"""
import json
import sys

import msgpack
import zmq

STORED = ["block_hashes", "parent_block_hash", "token_ids", "block_size", "lora_id", "medium"]
REMOVED = ["block_hashes", "medium"]


def fields(event, form):
    if form == "vllm":
        kind, values = event[0], event[1:]
        names = {"BlockStored": STORED, "BlockRemoved": REMOVED, "AllBlocksCleared": []}[kind]
        assert len(values) == len(names), (kind, values)
        return kind, dict(zip(names, values))
    assert all(isinstance(key, str) for key in event)
    return event["type"], event


class Mirror:
    def __init__(self, endpoint, replay, form, topic):
        self.form = form
        self.next = 0
        self.places = {}
        context = zmq.Context.instance()
        self.sub = context.socket(zmq.SUB)
        self.sub.setsockopt_string(zmq.SUBSCRIBE, topic)
        self.sub.connect(endpoint)
        self.dealer = context.socket(zmq.DEALER)
        self.dealer.connect(replay)

    def replayed(self, start):
        self.dealer.send_multipart([b"", start.to_bytes(8, "big")])
        while True:
            empty, *rest = self.dealer.recv_multipart()
            assert empty == b""
            number, payload = rest[-2:]
            assert len(rest) == (3 if self.form == "trtllm" else 2)
            if payload == b"":
                assert int.from_bytes(number, "big", signed=True) == -1
                return
            yield int.from_bytes(number, "big"), payload

    def follow(self, until):
        poller = zmq.Poller()
        poller.register(self.sub, zmq.POLLIN)
        while self.next < until:
            if poller.poll(50):
                _, number, payload = self.sub.recv_multipart()
                number = int.from_bytes(number, "big")
                if number == self.next:
                    self.apply(payload)
                    continue
                if number < self.next:
                    continue
            for number, payload in self.replayed(self.next):
                assert number == self.next
                self.apply(payload)

    def apply(self, payload):
        seconds, events, rank = msgpack.unpackb(payload)
        assert isinstance(seconds, float) and rank == 0
        for event in events:
            kind, e = fields(event, self.form)
            if kind == "BlockStored":
                assert len(e["token_ids"]) == e["block_size"] * len(e["block_hashes"])
                parent = e["parent_block_hash"]
                for i, block in enumerate(e["block_hashes"]):
                    tokens = e["token_ids"][i * e["block_size"] : (i + 1) * e["block_size"]]
                    self.places[(block, e["medium"])] = (parent, tokens)
                    parent = block
            elif kind == "BlockRemoved":
                for block in e["block_hashes"]:
                    del self.places[(block, e["medium"])]
            else:
                assert kind == "AllBlocksCleared", kind
                self.places.clear()
        self.next += 1


def main():
    mirror = Mirror(*sys.argv[1:5])
    print("ready", flush=True)
    for line in sys.stdin:
        mirror.follow(int(line))
        rows = [[block, medium, parent, tokens] for (block, medium), (parent, tokens) in mirror.places.items()]
        print(json.dumps(rows), flush=True)


main()
