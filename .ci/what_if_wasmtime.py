#!/usr/bin/env python3
"""Runs the module of what-if pages in Wasmtime, and compares fingerprints with the command line's.

Usage: what_if_wasmtime.py WHATIF.HTML…

The module imports nothing, so any host of WebAssembly runs it. Of each page two replications of the
base are run; a line for each goes to standard output.

Exit code: 0, 1 when a fingerprint differs. Needs wasmtime (what-if.txt).
"""

import gzip
import json
import re
import sys
from pathlib import Path

import wasmtime

SIGN = 1 << 31
# The characters that stand in no block (BlockText.swift).
AVOIDED = b'\0\t\n\f\r\x1a"&(:<=@\x7f'


def signed(number):
    """The same 32 bits as a number with a sign, as calls take them."""
    return (number & 0xFFFF_FFFF ^ SIGN) - SIGN


def sevens(text):
    """The seven bits of each place of a block's text."""
    for letter in text:
        if ord(letter) > 127:
            yield AVOIDED[(ord(letter) >> 7) - 2]
        yield ord(letter) & 127


def decoded(text, count):
    """So many bytes that a block's text (BlockText.swift) is of."""
    bits = "".join(f"{seven:07b}" for seven in sevens(text))
    return bytes(int(bits[place:place + 8], 2) for place in range(0, 8 * count, 8))


class Replica:
    """The module of a page, with the page's configuration and plan."""

    def __init__(self, text):
        self.text = text
        self.store = wasmtime.Store()
        module = wasmtime.Module(self.store.engine, self.block("module"))
        self.calls = wasmtime.Instance(self.store, module, []).exports(self.store)
        for name in ["image", "plan"]:
            if self.call(f"{name}_open", self.put(self.block(name))) != 1:
                raise SystemExit(f"what-if: error: expected {name} bytes that the module reads")

    def call(self, name, *arguments):
        return self.calls[name](self.store, *arguments)

    def block(self, name):
        found = re.search(rf'data-bytes="([0-9]+)" id="{name}">([^<]*)<', self.text)
        return gzip.decompress(decoded(found[2], int(found[1])))

    def put(self, data):
        """Writes bytes where the module reads them, and gives their count."""
        place = self.call("room", len(data)) & 0xFFFF_FFFF
        self.calls["memory"].write(self.store, data, place)
        return len(data)

    def fingerprint(self, seed, replication):
        self.call("image_run", signed(seed >> 32), signed(seed), replication)
        place = self.call("output") & 0xFFFF_FFFF
        head = self.calls["memory"].read(self.store, place, place + 8)
        return f"{int.from_bytes(bytes(head), 'little'):016x}"


def main():
    failures = 0
    for path in sys.argv[1:]:
        text = Path(path).read_text(encoding="utf-8")
        page = json.loads(re.search(r'id="page">(.*?)</script>', text, re.S)[1])
        replica = Replica(text)
        for replication, wanted in enumerate(page["fingerprints"][:2]):
            got = replica.fingerprint(int(page["seed"]), replication)
            failures += got != wanted
            print(f"wasmtime: {page['name']}, replication {replication}: {got}"
                  f" {'ok' if got == wanted else 'FAIL, natively ' + wanted}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
