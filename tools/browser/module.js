// The simulator's viewer as a WebAssembly module, which imports nothing: what Swift needs of a C
// library is in it (tools/wasm/runtime.c). `.ci/embedded-host.js` runs a module with the same.

/// The memory of an instance; what is in it may move only when a call lets it grow.
class Memory {
  constructor(calls) {
    this.calls = calls;
  }

  bytes(address, count) {
    return new Uint8Array(this.calls.memory.buffer, address >>> 0, count >>> 0);
  }

  allocate(size) {
    return this.calls.runtime_allocate(size, 16) >>> 0;
  }

  release(address) {
    this.calls.runtime_release(address);
  }

  /// Numbers that `copy` writes to where it is told to.
  numbers(count, copy) {
    const bytes = 8 * count;
    const room = this.allocate(bytes);
    copy(room);
    const numbers = new Float64Array(this.calls.memory.buffer.slice(room, room + bytes));
    this.release(room);
    return numbers;
  }
}

/// An instance of a compiled module, and its memory.
export function instantiate(module) {
  const calls = new WebAssembly.Instance(module, {}).exports;
  return { memory: new Memory(calls), calls };
}

/// A seed as two numbers of 32 bits, the high one first.
export function halves(seed) {
  const whole = BigInt(seed);
  return [Number((whole >> 32n) & 0xffffffffn), Number(whole & 0xffffffffn)];
}

const columns = 16;

/// One session of a viewer. Times are nanoseconds since its begin.
export class Viewer {
  /// `module` is the compiled viewer.wasm.
  constructor(module) {
    const { memory, calls } = instantiate(module);
    this.memory = memory;
    this.calls = calls;
  }

  /// `text` is the configuration; false when it is none.
  open(text, { session, seed, replication, logs }) {
    const room = this.calls.page_room(text.length);
    this.memory.bytes(room, text.length).set(text);
    return this.calls.page_open(session, ...halves(seed), replication, logs ? 1 : 0) === 1;
  }

  /// Handles what is due; when the next event is due, or -1.
  advance(now) {
    const next = this.calls.page_advance(now);
    if (next === -2) throw new Error("an instant has no end of events");
    return next;
  }

  get isOver() {
    return this.calls.page_is_over() === 1;
  }

  /// The commands since the last call, each a row of numbers.
  take() {
    const count = this.calls.page_command_count();
    if (count === 0) return [];
    const numbers = this.memory.numbers(count * columns, this.calls.page_commands);
    this.calls.page_clear();
    const rows = [];
    for (let row = 0; row < count; row += 1) {
      rows.push(numbers.subarray(row * columns, (row + 1) * columns));
    }
    return rows;
  }

  headed(token, { outcome, isError, age, lifetime, bytes }, at) {
    this.calls.page_headed(...token, outcome, isError ? 1 : 0, age, lifetime, bytes, at);
  }

  marked(token, at) {
    this.calls.page_marked(...token, at);
  }

  ended(token, bytes, isWhole, isMedia, at) {
    this.calls.page_ended(...token, bytes, isWhole ? 1 : 0, isMedia ? 1 : 0, at);
  }

  player(session, news, player, generation, at) {
    this.calls.page_player(0, session, news, player, generation, at);
  }

  /// Ends the session; the text of what was measured.
  finish() {
    return this.text(this.calls.page_finish());
  }

  logs() {
    return this.text(this.calls.page_logs());
  }

  text(count) {
    return new TextDecoder().decode(this.memory.bytes(this.calls.page_output(), count));
  }
}
