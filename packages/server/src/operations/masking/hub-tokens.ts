import { parseJson, toJsonText } from "@hub/connector";
import { anyHubTokenKind } from "@hub/contract/hub-token-kinds.ts";

/**
 * Also matches a token that a cut has shortened: most of a token is as useful to an attacker as all
 * of it.
 */
const hubToken = new RegExp(`hub_(${anyHubTokenKind})_[0-9a-f]{8,64}`, "g");
const removedToken = new RegExp(`hub_(?:${anyHubTokenKind})_\\[removed\\]`);

/**
 * Whether a value from a client contains a token of this hub, in a text or a member name at any
 * depth.
 */
export function containsHubToken(sent: unknown): boolean {
  if (typeof sent === "string") return sent.includes("hub_") && sent.search(hubToken) !== -1;
  if (Array.isArray(sent)) return sent.some(containsHubToken);
  if (typeof sent !== "object" || sent === null) return false;
  // Each call is searched, so no list of pairs is made.
  for (const name of Object.keys(sent)) {
    // Object.keys returns strings, with which every object can be read.
    const part = (sent as Record<string, unknown>)[name];
    if (containsHubToken(name) || containsHubToken(part)) return true;
  }
  return false;
}

/**
 * Removes the hub's own tokens from a text, because a reader of the record could use them to sign
 * in. They are found by their form, so thousands of fake tokens cost one pass. JSON text stays
 * valid JSON.
 */
export function removeHubTokens(text: string): string {
  return text.replace(hubToken, "hub_$1_[removed]");
}

/** A text without the hub's own tokens, for words: the parts of a token alone have no known form. */
export function dropHubTokens(text: string): string {
  return text.replace(hubToken, " ");
}

/** Whether a token was removed from a text. Such a request cannot be replayed. */
export function containsRemovedToken(text: string): boolean {
  return removedToken.test(text);
}

export function removeHubTokensIn(value: unknown): unknown {
  const text = toJsonText(value);
  const removed = removeHubTokens(text);
  return removed === text ? value : parseJson(removed);
}
