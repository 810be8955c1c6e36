/**
 * The expected outcome of a message, computed from its bytes without the hub's code: an independent parser.
 */
export type Expectation =
  | { kind: "request"; id: string | number; isCall: boolean; isCancel: false }
  | { kind: "silent"; isCancel: boolean }
  | { kind: "refused"; code: number; isCancel: false };

const nestingMax = 64;
const idCharsMax = 256;

const unreadable: Expectation = { kind: "refused", code: -32700, isCancel: false };
const refused: Expectation = { kind: "refused", code: -32600, isCancel: false };

export function expectFrame(bytes: Uint8Array): Expectation {
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    value = JSON.parse(text, dropLongNumbers);
  } catch {
    return unreadable;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return refused;
  if (measureNesting(text) > nestingMax) return refused;
  const own = (name: string) => Object.getOwnPropertyDescriptor(value, name)?.value;
  const [jsonrpc, id, method] = [own("jsonrpc"), own("id"), own("method")];
  if (jsonrpc !== "2.0") return refused;
  const isAnswer = method === undefined && ("result" in value || "error" in value);
  if (isAnswer) return { kind: "silent", isCancel: false };
  if (typeof method !== "string") return refused;
  if (id === undefined) return { kind: "silent", isCancel: method === "notifications/cancelled" };
  const isId = typeof id === "number" || (typeof id === "string" && id.length <= idCharsMax);
  return isId ? { kind: "request", id, isCall: method === "tools/call", isCancel: false } : refused;
}

/** Drops numbers with too many digits, which are invalid as ids and irrelevant elsewhere. */
function dropLongNumbers(_key: string, value: unknown, context?: { source?: string }): unknown {
  return (context?.source ?? "").length > idCharsMax && typeof value === "number" ? null : value;
}

function measureNesting(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [bracket] of text.replace(/"(?:[^"\\]|\\.)*"/gs, "").matchAll(/[[\]{}]/g)) {
    depth += bracket === "[" || bracket === "{" ? 1 : -1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
