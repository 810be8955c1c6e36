/** The forms of reply that a client accepts. `either`: JSON, or an event stream for long calls. */
export type ReplyForm = "json" | "either" | "events";

/** Parses `Accept`. A client gets an event stream only if it names that type. */
export function readReplyForm(accept: string | null): ReplyForm {
  // As the SDKs of MCP send it.
  if (accept === "application/json, text/event-stream") return "either";
  const types = (accept ?? "").toLowerCase().split(",").filter(isWanted).map(toType);
  if (!types.includes("text/event-stream")) return "json";
  return types.some(isJson) ? "either" : "events";
}

function isWanted(range: string): boolean {
  return !/;\s*q=0(\.0*)?\s*(;|$)/.test(range);
}

function toType(range: string): string {
  return (range.split(";")[0] ?? "").trim();
}

function isJson(type: string): boolean {
  return type === "application/json" || type === "application/*" || type === "*/*";
}
