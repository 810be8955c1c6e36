import { randomBytes } from "node:crypto";
import type { HubTokenKind } from "@hub/contract/hub-token-kinds.ts";

/** A new random token. All tokens of the hub are made here, so that each has a kind that is removed from records. */
export function createHubToken(kind: HubTokenKind, { bytes = 16 } = {}): string {
  return `hub_${kind}_${randomBytes(bytes).toString("hex")}`;
}
