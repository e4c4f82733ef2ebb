// Runs the linked Embedded Swift module once with stand-ins for the symbols a host provides.
// Usage: node embedded-host.js FILE.wasm [LOG…]
// Each log of a policy is played in the module and must give its commands.
"use strict";

const module_ = new WebAssembly.Module(require("fs").readFileSync(process.argv[2]));
let memory;
let next = 0;

function allocate(size, alignment) {
  next = Math.ceil(next / alignment) * alignment;
  const address = next;
  next += size;
  const missing = next - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / 65536));
  return address;
}

function bytes(address, count) {
  return new Uint8Array(memory.buffer, address, count);
}

const host = {
  posix_memalign(result, alignment, size) {
    const address = allocate(size, Math.max(alignment, 16));
    new DataView(memory.buffer).setUint32(result, address, true);
    return 0;
  },
  free() {},
  arc4random_buf(address, count) {
    bytes(address, count).fill(4);
  },
  memcmp(a, b, count) {
    return Buffer.compare(bytes(a, count), bytes(b, count));
  },
  memcpy(to, from, count) {
    bytes(to, count).set(bytes(from, count));
    return to;
  },
  memmove(to, from, count) {
    memory && new Uint8Array(memory.buffer).copyWithin(to, from, from + count);
    return to;
  },
  memset(to, value, count) {
    bytes(to, count).fill(value);
    return to;
  },
  __stack_chk_fail() {
    throw new Error("the stack was overwritten");
  },
  // A 128-bit product, returned through memory: low word first.
  __multi3(result, aLow, aHigh, bLow, bHigh) {
    const a = BigInt.asUintN(64, aLow) | (aHigh << 64n);
    const b = BigInt.asUintN(64, bLow) | (bHigh << 64n);
    const product = BigInt.asUintN(128, a * b);
    const view = new DataView(memory.buffer);
    view.setBigUint64(result, BigInt.asUintN(64, product), true);
    view.setBigUint64(result + 8, product >> 64n, true);
  },
  // Ties away from zero.
  round: (x) => Math.sign(x) * Math.floor(Math.abs(x) + (Math.abs(x) < 2 ** 52 ? 0.5 : 0)),
  rint: roundTiesToEven,
  roundeven: roundTiesToEven,
  floor: Math.floor,
  ceil: Math.ceil,
  trunc: Math.trunc,
};

function roundTiesToEven(x) {
  if (Math.abs(x) >= 2 ** 52) return x;
  const shift = x < 0 ? -(2 ** 52) : 2 ** 52;
  return x + shift - shift;
}

const instance = new WebAssembly.Instance(module_, { env: host });
memory = instance.exports.memory;
next = instance.exports.__heap_base.value;
const hops = 10000;
const last = instance.exports.firstframe_probe(20260101n, hops);
if (last <= 0n) throw new Error(`expected a time after ${hops} hops, got ${last} ns`);
const imports = WebAssembly.Module.imports(module_).map((each) => each.name);
console.log(`embedded: run ok (${hops} events, last at ${last} ns; imports ${imports.join(" ")})`);

for (const path of process.argv.slice(3)) {
  for (const byte of require("fs").readFileSync(path)) instance.exports.firstframe_log_byte(byte);
  const commands = instance.exports.firstframe_replay();
  if (commands <= 0) {
    throw new Error(`${path}:${-commands}: expected the commands of the log, got others`);
  }
  console.log(`embedded: replay ok (${path}: ${commands} equal commands)`);
}
