// A feed's replications as a WebAssembly module (.ci/what-if).

/// One configuration in an instance of a compiled module.
export class Replica {
  /// `module` is the compiled whatif.wasm.
  constructor(module) {
    this.calls = new WebAssembly.Instance(module, {}).exports;
  }

  /// Takes a configuration's image; false when the bytes are none.
  open(image) {
    const room = this.calls.image_room(image.length);
    new Uint8Array(this.calls.memory.buffer, room >>> 0, image.length).set(image);
    return this.calls.image_open() === 1;
  }

  /// Runs one replication; `seed` is a BigInt.
  run(seed, replication) {
    const high = Number((seed >> 32n) & 0xffffffffn);
    const low = Number(seed & 0xffffffffn);
    const count = this.calls.image_run(high, low, replication);
    if (count <= 0) throw new Error(count === 0 ? "no configuration" : "a limit of the simulation");
    const bytes = 8 * count;
    const room = this.calls.runtime_allocate(bytes, 16) >>> 0;
    this.calls.image_numbers(room);
    const numbers = new Float64Array(this.calls.memory.buffer.slice(room, room + bytes));
    this.calls.runtime_release(room);
    const [fingerprintHigh, fingerprintLow, events, views] = numbers;
    const fingerprint = (BigInt(fingerprintHigh) << 32n) | BigInt(fingerprintLow);
    return { fingerprint, events, views };
  }
}
