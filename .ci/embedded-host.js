// Runs the linked Embedded Swift module once with what the page of a browser gives its module.
// Usage: node embedded-host.js FILE.wasm [LOG…]
// Each log of a policy is played in the module and must give its commands.
"use strict";

const { readFileSync } = require("fs");
const { join } = require("path");

function run({ instantiate }) {
  const linked = new WebAssembly.Module(readFileSync(process.argv[2]));
  const { calls } = instantiate(linked);
  const hops = 10000;
  const last = calls.firstframe_probe(20260101n, hops);
  if (last <= 0n) throw new Error(`expected a time after ${hops} hops, got ${last} ns`);
  const imports = WebAssembly.Module.imports(linked).map((each) => each.name);
  if (imports.length > 0) throw new Error(`expected no imports, got ${imports.join(" ")}`);
  console.log(`embedded: run ok (${hops} events, last at ${last} ns; no imports)`);

  // As C rounds: halves away from zero.
  const rounded = [
    [0.49999999999999994, 0], [0.5, 1], [-0.5, -1], [2.5, 3], [-2.5, -3], [1e300, 1e300],
    [4503599627370497.5, 4503599627370498], [-0.2, -0], [0.2, 0],
  ];
  for (const [number, expected] of rounded) {
    const found = calls.runtime_round(number);
    if (!Object.is(found, expected)) {
      throw new Error(`expected ${expected} for ${number}, got ${found}`);
    }
  }
  // Blocks of all sizes keep what is written to them, and come back.
  const blocks = [];
  for (let size = 1; size < 3e5; size += 1 + (size >> 2)) {
    const address = calls.runtime_allocate(size, size % 3 === 0 ? 256 : 16) >>> 0;
    if (size % 3 === 0 && address % 256 !== 0) throw new Error(`${address} is not aligned`);
    new Uint8Array(calls.memory.buffer, address, size).fill(size % 251);
    blocks.push([address, size]);
  }
  for (const [address, size] of blocks) {
    const bytes = new Uint8Array(calls.memory.buffer, address, size);
    if (!bytes.every((byte) => byte === size % 251)) throw new Error(`a block of ${size} changed`);
    calls.runtime_release(address);
  }
  const size = calls.memory.buffer.byteLength;
  for (let turn = 0; turn < 1000; turn += 1) {
    calls.runtime_release(calls.runtime_allocate(1 + ((turn * 7919) % 200000), 16));
  }
  if (calls.memory.buffer.byteLength > size + 65536 * 16) {
    throw new Error("memory that came back is not used again");
  }

  for (const path of process.argv.slice(3)) {
    for (const byte of readFileSync(path)) calls.firstframe_log_byte(byte);
    const commands = calls.firstframe_replay();
    if (commands <= 0) {
      throw new Error(`${path}:${-commands}: expected the commands of the log, got others`);
    }
    console.log(`embedded: replay ok (${path}: ${commands} equal commands)`);
  }
}

// By its text: not every node takes a .js for a module.
const page = readFileSync(join(__dirname, "../tools/browser/module.js"), "utf8");
import("data:text/javascript," + encodeURIComponent(page)).then(run);
