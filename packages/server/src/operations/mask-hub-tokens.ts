import { mapJson } from "../secrets/map-json.ts";
import type { Mask } from "../secrets/mask.ts";

const hubToken = /hub_(?:pat|oat)_[0-9a-f]{32}/g;

/**
 * Adds the tokens of this hub that a client sent where none belongs, such as in a search: whoever
 * reads the record of the call could come in by them.
 */
export function maskHubTokens(mask: Pick<Mask, "addSecret">, sent: unknown): void {
  const note = (text: string) => {
    if (text.includes("hub_")) for (const [token] of text.matchAll(hubToken)) mask.addSecret(token);
    return text;
  };
  mapJson(sent, { mapText: note, mapKey: note });
}
