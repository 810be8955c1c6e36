import type { Mask } from "../secrets/mask.ts";

const hubToken = /hub_(?:pat|oat)_[0-9a-f]{32}/g;

/**
 * Adds the tokens of this hub that a client sent where none belongs, such as in a search: whoever
 * reads the record of the call could come in by them.
 */
export function maskHubTokens(mask: Pick<Mask, "addSecret">, sent: unknown): void {
  if (typeof sent === "string") {
    if (!sent.includes("hub_")) return;
    for (const [token] of sent.matchAll(hubToken)) mask.addSecret(token);
  } else if (Array.isArray(sent)) {
    for (const part of sent) maskHubTokens(mask, part);
  } else if (typeof sent === "object" && sent !== null) {
    for (const [name, part] of Object.entries(sent)) {
      maskHubTokens(mask, name);
      maskHubTokens(mask, part);
    }
  }
}
