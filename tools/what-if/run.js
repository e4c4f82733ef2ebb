// Runs replications of images by the module in Node, and prints what they came to.
// Usage: node run.js whatif.wasm SEED REPLICATIONS IMAGE…
// A line for each replication: fingerprint, events, views, milliseconds, and the module's memory.
"use strict";

const { readFileSync } = require("fs");
const { join } = require("path");

function main([host, { Replica }]) {
  const [wasm, seed, replications, ...images] = process.argv.slice(2);
  const module = new WebAssembly.Module(readFileSync(wasm));
  for (const image of images) {
    const replica = new Replica(module, host);
    if (!replica.open(readFileSync(image))) throw new Error(`${image}: expected an image`);
    for (let number = 0; number < Number(replications); number += 1) {
      const begin = performance.now();
      const { fingerprint, events, views } = replica.run(seed, number);
      const took = performance.now() - begin;
      const memory = replica.calls.memory.buffer.byteLength / 1e6;
      console.log(
        `${fingerprint.toString(16).padStart(16, "0")} ${events} events, ${views} views, ` +
          `${took.toFixed(0)} ms, ${memory.toFixed(0)} MB`);
    }
  }
}

// By their text: not every node takes a .js for a module.
const load = (path) => {
  const text = readFileSync(join(__dirname, path), "utf8");
  return import("data:text/javascript," + encodeURIComponent(text));
};
Promise.all([load("../browser/module.js"), load("replica.js")]).then(main);
