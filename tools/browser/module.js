// The simulator's viewer as a WebAssembly module, and what it needs of a host: memory, a few
// functions of C, and the rounding of numbers. `.ci/embedded-host.js` runs a module with the same.

/// Memory of the module, in blocks of powers of two that are used again.
class Memory {
  constructor() {
    this.free = new Map();
    this.sizes = new Map();
    this.next = 0;
  }

  begin(memory, base) {
    this.memory = memory;
    this.next = base;
  }

  bytes(address, count) {
    return new Uint8Array(this.memory.buffer, address >>> 0, count >>> 0);
  }

  view() {
    return new DataView(this.memory.buffer);
  }

  allocate(size, alignment) {
    let block = 16;
    while (block < size || block < alignment) block *= 2;
    const row = this.free.get(block);
    if (row && row.length > 0) return row.pop();
    const step = Math.min(block, 65536);
    const address = Math.ceil(this.next / step) * step;
    this.next = address + block;
    const missing = this.next - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / 65536));
    this.sizes.set(address, block);
    return address;
  }

  release(address) {
    if (address === 0) return;
    const block = this.sizes.get(address >>> 0);
    if (block === undefined) throw new Error(`memory at ${address} was never given out`);
    if (!this.free.has(block)) this.free.set(block, []);
    this.free.get(block).push(address >>> 0);
  }
}

function roundTiesToEven(x) {
  if (!(Math.abs(x) < 2 ** 52)) return x;
  const shift = x < 0 ? -(2 ** 52) : 2 ** 52;
  return x + shift - shift;
}

/// A half added to the number below it would be rounded up itself: the difference is exact.
export function roundTiesAway(x) {
  const whole = Math.trunc(x);
  return Math.abs(x - whole) >= 0.5 ? whole + Math.sign(x) : whole;
}

function imports(memory) {
  return {
    posix_memalign(result, alignment, size) {
      const address = memory.allocate(size >>> 0, Math.max(alignment, 16));
      memory.view().setUint32(result, address, true);
      return 0;
    },
    free: (address) => memory.release(address),
    arc4random_buf(address, count) {
      // Seeds of hash tables: the same in every run.
      memory.bytes(address, count).fill(4);
    },
    memcmp(a, b, count) {
      const [left, right] = [memory.bytes(a, count), memory.bytes(b, count)];
      for (let place = 0; place < left.length; place += 1) {
        if (left[place] !== right[place]) return left[place] - right[place];
      }
      return 0;
    },
    memcpy(to, from, count) {
      memory.bytes(to, count).set(memory.bytes(from, count));
      return to;
    },
    memmove(to, from, count) {
      memory.bytes(to, count).set(memory.bytes(from, count));
      return to;
    },
    memset(to, value, count) {
      memory.bytes(to, count).fill(value);
      return to;
    },
    __stack_chk_fail() {
      throw new Error("the stack was overwritten");
    },
    // A product of 128 bits, low word first.
    __multi3(result, aLow, aHigh, bLow, bHigh) {
      const a = BigInt.asUintN(64, aLow) | (aHigh << 64n);
      const b = BigInt.asUintN(64, bLow) | (bHigh << 64n);
      const product = BigInt.asUintN(128, a * b);
      memory.view().setBigUint64(result, BigInt.asUintN(64, product), true);
      memory.view().setBigUint64(result + 8, product >> 64n, true);
    },
    // 128 bits, shifted to the left: what the optimiser writes in two words is a call without it.
    __ashlti3(result, low, high, count) {
      const whole = BigInt.asUintN(64, low) | (BigInt.asUintN(64, high) << 64n);
      const shifted = BigInt.asUintN(128, whole << BigInt(count));
      memory.view().setBigUint64(result, BigInt.asUintN(64, shifted), true);
      memory.view().setBigUint64(result + 8, shifted >> 64n, true);
    },
    round: roundTiesAway,
    rint: roundTiesToEven,
    roundeven: roundTiesToEven,
    floor: Math.floor,
    ceil: Math.ceil,
    trunc: Math.trunc,
  };
}

/// An instance of a compiled module, and its memory.
export function instantiate(module) {
  const memory = new Memory();
  const instance = new WebAssembly.Instance(module, { env: imports(memory) });
  memory.begin(instance.exports.memory, instance.exports.__heap_base.value);
  return { memory, calls: instance.exports };
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
    const high = Number((BigInt(seed) >> 32n) & 0xffffffffn);
    const low = Number(BigInt(seed) & 0xffffffffn);
    return this.calls.page_open(session, high, low, replication, logs ? 1 : 0) === 1;
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
    const bytes = count * columns * 8;
    const room = this.memory.allocate(bytes, 16);
    this.calls.page_commands(room);
    const numbers = new Float64Array(this.memory.memory.buffer.slice(room, room + bytes));
    this.memory.release(room);
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
