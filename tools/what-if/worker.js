"use strict";
// A worker of the what-if page. It either runs replications or judges what others have run; both
// by an instance of the simulator's module, which imports nothing.

/** What page.js gave at first: the compiled module, the plan, and the seed in two halves. */
let given = null;
/** What the instance exports; made when it is first needed. */
let calls = null;
/** The job whose samples the instance holds, of a judging worker. */
let held = null;

/** Writes bytes where the module reads them, and gives their count. */
function put(bytes) {
  const place = calls.room(bytes.length) >>> 0;
  new Uint8Array(calls.memory.buffer, place, bytes.length).set(bytes);
  return bytes.length;
}

/** A copy of so many bytes that the module has written. */
function take(count) {
  const place = calls.output() >>> 0;
  return calls.memory.buffer.slice(place, place + count);
}

/** Makes the instance and has it read the plan. */
function prepare() {
  calls = new WebAssembly.Instance(given.module, {}).exports;
  if (calls.plan_open(put(given.plan)) !== 1) throw new Error("the plan is not read");
}

/** Runs a replication, or writes one of its sessions down. A job's first comes with the image. */
function simulate({ image, isBase, replication, session }) {
  if (image) {
    const count = put(image);
    if (!isBase) calls.image_seal(count);
    if (calls.image_open(count) !== 1) return { error: "the simulator does not take this setting" };
  }
  const which = [given.seedHigh, given.seedLow, replication];
  const count = session === undefined ? calls.image_run(...which)
    : 8 * calls.session_watch(...which, session);
  if (count < 0) return { error: `replication ${replication} came to a limit of the simulator` };
  if (count === 0) throw new Error("the simulator has nothing open");
  return { sample: take(count) };
}

/** Takes samples in and answers for all of the job's that have come so far. */
function judge({ job, samples }) {
  if (job !== held) calls.answer_clear();
  held = job;
  for (const sample of samples) {
    if (calls.answer_add(put(new Uint8Array(sample))) !== 1) throw new Error("a sample is bad");
  }
  return { answer: take(8 * calls.answer()) };
}

/** An error of the instance leaves it in no state to go on with: page.js makes another worker. */
onmessage = ({ data }) => {
  given ??= data;
  if (data === given) return;
  let reply;
  try {
    if (!calls) prepare();
    reply = data.samples ? judge(data) : simulate(data);
  } catch (error) {
    reply = { error: String(error?.message ?? error), isBroken: true };
  }
  postMessage({ job: data.job, ...reply }, [reply.sample ?? reply.answer].filter(Boolean));
};
