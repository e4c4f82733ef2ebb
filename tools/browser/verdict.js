// What the cache nearest to the client did with a request, read from an answer's head. The fields
// are asked in this order: status code, Cache-Status (RFC 9211), X-Cache-Status and X-Cache,
// X-Varnish, Age. Numbers are those of the simulator's outcomes.

export const outcomes = {
  hit: 0, staleHit: 1, revalidated: 2, collapsed: 3, miss: 4, bypass: 5, error: 6,
};

/// Cuts at a mark outside quoted strings.
function split(text, mark) {
  const parts = [];
  let [part, isQuoted, isEscaped] = ["", false, false];
  for (const letter of text) {
    if (isEscaped) {
      isEscaped = false;
    } else if (isQuoted && letter === "\\") {
      isEscaped = true;
    } else if (letter === '"') {
      isQuoted = !isQuoted;
    } else if (letter === mark && !isQuoted) {
      parts.push(part);
      part = "";
      continue;
    }
    part += letter;
  }
  parts.push(part);
  return parts.map((each) => each.trim()).filter((each) => each !== "");
}

function fromCacheStatus(text) {
  const member = split(text, ",").pop();
  if (member === undefined) return undefined;
  const fields = new Map();
  for (const part of split(member, ";").slice(1)) {
    const [name, ...rest] = part.split("=");
    fields.set(name.trim(), rest.length > 0 ? rest.join("=").trim() : "?1");
  }
  const isSet = (name) => fields.has(name) && fields.get(name) !== "?0";
  if (isSet("hit")) {
    return (fields.get("ttl") ?? "").startsWith("-") ? outcomes.staleHit : outcomes.hit;
  }
  if (isSet("collapsed")) return outcomes.collapsed;
  if (!fields.has("fwd")) return undefined;
  const status = Number(fields.get("fwd-status") ?? 0);
  if (status >= 500) return outcomes.staleHit;
  switch (fields.get("fwd")) {
    case "bypass":
    case "method":
      return outcomes.bypass;
    case "stale":
    case "request":
      return status === 304 ? outcomes.revalidated : outcomes.miss;
    case "uri-miss":
    case "vary-miss":
    case "miss":
    case "partial":
      return outcomes.miss;
    default:
      return undefined;
  }
}

const words = new Map([
  ["HIT", "hit"], ["STALE", "staleHit"], ["UPDATING", "staleHit"],
  ["REVALIDATED", "revalidated"], ["MISS", "miss"], ["EXPIRED", "miss"], ["BYPASS", "bypass"],
  ["PASS", "bypass"], ["ERROR", "error"], ["SYNTH", "error"],
]);

function fromWord(text) {
  const last = split(text, ",").pop();
  const word = (last ?? "").split(/[ ;]/)[0].toUpperCase();
  return outcomes[words.get(word)];
}

function fromVarnish(text) {
  const numbers = text.split(" ").filter((each) => each !== "");
  if (numbers.length === 0 || !numbers.every((each) => /^\d+$/.test(each))) return undefined;
  return numbers.length === 2 ? outcomes.hit : outcomes.miss;
}

/// The outcome of an answer with this status and these headers; undefined when nothing says.
export function verdict(status, headers) {
  if (status >= 500) return outcomes.error;
  const readings = [
    ["cache-status", fromCacheStatus], ["x-cache-status", fromWord], ["x-cache", fromWord],
    ["x-varnish", fromVarnish],
  ];
  for (const [name, read] of readings) {
    const text = headers.get(name);
    const outcome = text === null ? undefined : read(text);
    if (outcome !== undefined) return outcome;
  }
  return Number(headers.get("age") ?? 0) > 0 ? outcomes.hit : undefined;
}

/// `max-age` in nanoseconds; 0 where nothing may be kept, -1 where nothing is said.
export function lifetime(headers) {
  const text = headers.get("cache-control");
  if (text === null) return -1;
  for (const part of text.split(",")) {
    const word = part.trim().toLowerCase();
    if (word === "no-store" || word === "no-cache") return 0;
    const age = /^max-age=(\d+)$/.exec(word);
    if (age) return Math.min(Number(age[1]), 1e8) * 1e9;
  }
  return -1;
}
