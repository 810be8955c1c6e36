import { parseJson, toJsonText } from "@hub/connector";

/** Also one that a cut has shortened: most of a token is worth as much as all of it. */
const hubToken = /hub_(pat|oat)_[0-9a-f]{8,32}/g;

/** Whether a value that a client sent holds a token of this hub, in a text or a name at any depth. */
export function holdsHubToken(sent: unknown): boolean {
  if (typeof sent === "string") return sent.includes("hub_") && sent.search(hubToken) !== -1;
  if (Array.isArray(sent)) return sent.some(holdsHubToken);
  if (typeof sent !== "object" || sent === null) return false;
  return Object.entries(sent).some(([name, part]) => holdsHubToken(name) || holdsHubToken(part));
}

/**
 * A text without the hub's own tokens: a reader of the record could come in by them. They are known
 * by their form, so thousands of made-up ones cost one pass. JSON text stays JSON.
 */
export function removeHubTokens(text: string): string {
  return text.replace(hubToken, "hub_$1_[removed]");
}

/** Whether a token was removed from a text: a request that lacks one cannot be replayed. */
export function holdsRemovedToken(text: string): boolean {
  return /hub_(?:pat|oat)_\[removed\]/.test(text);
}

export function removeHubTokensIn(value: unknown): unknown {
  const text = toJsonText(value);
  const removed = removeHubTokens(text);
  return removed === text ? value : parseJson(removed);
}
