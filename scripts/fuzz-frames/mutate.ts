import type { Random } from "./random.ts";
import type { Message } from "./valid-frames.ts";

const nestingDeep = 70;

/** Values that replace valid ones. */
const oddValues: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  "",
  "x",
  "\u0000",
  "\ud800",
  "__proto__",
  "constructor",
  "hub_enc_",
  `hub_enc_${"A".repeat(40)}`,
  "\n\ndata: {}\n\n",
  "x".repeat(300),
  "x".repeat(20_000),
  [],
  {},
  [[]],
  [null],
  { toString: 1 },
  { ["__proto__"]: { name: "hub_list" } },
  JSON.rawJSON("1e400"),
  JSON.rawJSON("-0"),
  JSON.rawJSON("9007199254740993"),
  JSON.rawJSON("9".repeat(300)),
  JSON.rawJSON("0.10000000000000000000000001"),
  nest(nestingDeep, (value) => [value]),
  nest(nestingDeep, (value) => ({ a: value })),
];

const oddKeys = ["__proto__", "constructor", "toString", "", "\u0000", "id", "params", "_meta"];

function nest(levels: number, wrap: (value: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = wrap(value);
  return value;
}

/** Replaces some parts of a message by invalid ones. */
export function mutateMessage(random: Random, message: Message): unknown {
  let mutated: unknown = message;
  for (let times = random.below(3); times > 0; times -= 1) mutated = mutatePart(random, mutated);
  if (random.chance(0.02)) return [mutated];
  if (random.chance(0.02)) return random.pick(oddValues);
  return mutated;
}

/** Returns a copy in which one part, at any depth, is removed, renamed, added or replaced. */
function mutatePart(random: Random, value: unknown): unknown {
  if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) {
    return random.pick(oddValues);
  }
  if (Array.isArray(value)) return value.map((item) => mutatePart(random, item));
  const entries = Object.entries(value);
  const index = random.below(entries.length + 1);
  const [key, member] = entries[index] ?? [random.pick(oddKeys), random.pick(oddValues)];
  const others = entries.toSpliced(index, 1);
  const changed: Array<[string, unknown]> = random.pick([
    () => [],
    () => [[random.pick(oddKeys), member] satisfies [string, unknown]],
    () => [[key, random.pick(oddValues)] satisfies [string, unknown]],
    () => [[key, mutatePart(random, member)] satisfies [string, unknown]],
    () => [[key, mutatePart(random, member)] satisfies [string, unknown]],
    () => [[key, mutatePart(random, member)] satisfies [string, unknown]],
  ])();
  return Object.fromEntries([...others, ...changed]);
}

/** Changes some of the bytes. */
export function mutateBytes(random: Random, bytes: Buffer, other: Buffer): Buffer {
  const at = random.below(bytes.length + 1);
  const end = at + random.below(bytes.length - at + 1);
  const near = at + random.below(Math.min(8, bytes.length - at + 1));
  const part = (buffer: Buffer) => {
    const start = random.below(buffer.length + 1);
    return buffer.subarray(start, start + random.below(20));
  };
  const noise = () =>
    Buffer.from(Array.from({ length: 1 + random.below(4) }, () => random.below(256)));
  const splice = (from: number, to: number, inserted: Buffer) =>
    Buffer.concat([bytes.subarray(0, from), inserted, bytes.subarray(to)]);
  return random.pick([
    () => bytes.subarray(0, at),
    () => bytes.subarray(at),
    () => splice(at, end, Buffer.alloc(0)),
    () => splice(at, near, noise()),
    () => splice(at, near, part(bytes)),
    () => splice(at, near, part(other)),
    () =>
      splice(at, at, Buffer.from(random.pick(['"', "{", "}", "[", "]", ",", ":", "\\", "\ufeff"]))),
    () => splice(at, at, Buffer.from([random.pick([0x00, 0x0a, 0x0d, 0x80, 0xc0, 0xf0, 0xff])])),
    () => Buffer.concat([bytes, other]),
    () => Buffer.concat([bytes, Buffer.from(" ".repeat(random.below(5_000)))]),
    () => Buffer.from(`[${bytes.toString("latin1")}]`, "latin1"),
  ])();
}

/** Changed headers of a request, and whether the hub may refuse them. */
export type HeaderChange = { headers: Record<string, string>; mayBeRefused: boolean };

export function mutateHeaders(random: Random, headers: Record<string, string>): HeaderChange {
  const allowed = (changes: Record<string, string>): HeaderChange => ({
    headers: { ...headers, ...changes },
    mayBeRefused: false,
  });
  const refused = (changes: Record<string, string>): HeaderChange => ({
    headers: { ...headers, ...changes },
    mayBeRefused: true,
  });
  const without = (name: string): HeaderChange => {
    const { [name]: _, ...rest } = headers;
    return { headers: rest, mayBeRefused: false };
  };
  return random.pick([
    () => allowed({ accept: random.pick(["*/*", "text/event-stream", "application/json", "x"]) }),
    () => allowed({ "mcp-protocol-version": random.pick(["2025-06-18", "2026-07-28", "x", "9"]) }),
    () => allowed({ "mcp-session-id": random.pick(["x", crypto.randomUUID(), "x".repeat(300)]) }),
    () => allowed({ "mcp-method": random.pick(["tools/call", "ping", "x"]) }),
    () =>
      allowed({ "mcp-name": random.pick(["hub_list", "=?base64?aHViX2xpc3Q=?=", "=?base64?!?="]) }),
    () => allowed({ "user-agent": "x".repeat(random.below(5_000)) }),
    () => without("mcp-protocol-version"),
    () => without("mcp-method"),
    () => without("mcp-name"),
    () => refused({ "content-type": random.pick(["text/plain", "application/json;x=y", "x"]) }),
    () => refused({ "content-encoding": random.pick(["gzip", "identity"]) }),
    () =>
      refused({
        authorization: random.pick(["Bearer x", "Basic x", `Bearer hub_pat_${"0".repeat(32)}`]),
      }),
    () => refused({ origin: random.pick(["https://evil.example", "null"]) }),
  ])();
}
