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
  const imports = WebAssembly.Module.imports(linked).map((each) => each.name).join(" ");
  console.log(`embedded: run ok (${hops} events, last at ${last} ns; imports ${imports})`);

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
