// A feed's replications as a WebAssembly module (.ci/what-if).

/// One configuration in an instance of a compiled module.
export class Replica {
  /// `module` is the compiled whatif.wasm, `host` what tools/browser/module.js exports.
  constructor(module, host) {
    const { memory, calls } = host.instantiate(module);
    this.memory = memory;
    this.calls = calls;
    this.halves = host.halves;
  }

  /// Takes a configuration's image; false when the bytes are none.
  open(image) {
    const room = this.calls.room(image.length);
    this.memory.bytes(room, image.length).set(image);
    return this.calls.image_open(image.length) === 1;
  }

  /// Runs one replication.
  run(seed, replication) {
    const count = this.calls.image_run(...this.halves(seed), replication);
    if (count <= 0) throw new Error(count === 0 ? "no configuration" : "a limit of the simulation");
    const sample = this.memory.bytes(this.calls.output(), count);
    const head = new DataView(sample.buffer, sample.byteOffset, 24);
    return {
      fingerprint: head.getBigUint64(0, true),
      events: Number(head.getBigUint64(8, true)),
      views: Number(head.getBigUint64(16, true)),
    };
  }
}
