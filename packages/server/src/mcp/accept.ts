/** How a client takes its reply: `either` means JSON, or an event stream if it takes long. */
export type ReplyForm = "json" | "either" | "events";

/** Reads `Accept`. Event streams come only to those who name them, and at once only if alone. */
export function readReplyForm(accept: string | null): ReplyForm {
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
