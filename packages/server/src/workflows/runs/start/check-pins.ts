import { type Json, toJsonText } from "@hub/connector";
import type { Caller } from "../../../caller.ts";
import { HubError } from "../../../errors.ts";
import type { KeyRing } from "../../../secrets/keys/key-ring.ts";
import {
  findTokenSpans,
  parseToken,
  tokenPrefix,
} from "../../../secrets/value-tokens/token-format.ts";
import { findValue } from "../../../secrets/value-tokens/value-tokens.ts";
import type { Plan } from "../../engine/plan.ts";
import { checkSentTokens } from "../../engine/secrets/check-sent-tokens.ts";
import { hasText } from "../../engine/secrets/has-text.ts";
import { outputBytesMax } from "../../engine/secrets/seal-steps.ts";
import { suggestOne } from "../../validation/describe-issue.ts";

/** Of all pins of one run together. */
const pinsBytesMax = 4 * outputBytesMax;

type From = { ring: KeyRing; caller: Caller; ownerId: string };

/** The node with this id. Throws with a did-you-mean if there is none. */
export function findNode({ graph }: Plan, id: string) {
  const node = graph.nodes.get(id);
  if (node !== undefined) return node;
  const hint = suggestOne(id, [...graph.nodes.keys()], "Nodes");
  throw new HubError("bad_request", `The workflow has no node "${id.slice(0, 64)}". ${hint}`);
}

/** Throws for pinned outputs that no node could have, that are too large, or that hold tokens of others. */
export function checkPins(from: From, plan: Plan, pins: Record<string, unknown>): void {
  let bytes = 0;
  for (const [id, value] of Object.entries(pins)) {
    const node = findNode(plan, id);
    const isList = "for_each" in node && node.for_each !== undefined;
    if (isList && !Array.isArray(value)) {
      throw new HubError(
        "bad_request",
        `The pin of the node "${id}" must be a list, because the node has \`for_each\`.`,
      );
    }
    bytes += checkOutput(from, `The pin of the node "${id}"`, value);
  }
  if (bytes > pinsBytesMax) {
    throw new HubError("bad_request", "The pins are larger than 4 MiB together. Pin less.");
  }
}

/** Throws for an output that is too large or holds tokens of others. Returns its size in bytes. */
export function checkOutput({ ring, caller, ownerId }: From, what: string, value: unknown): number {
  // What comes here was read from JSON.
  const output = value as Json;
  const bytes = Buffer.byteLength(toJsonText(output));
  if (bytes > outputBytesMax) {
    throw new HubError("bad_request", `${what} is larger than 1 MiB. Give less.`);
  }
  if (caller.userId !== ownerId) checkSentTokens(ring, { payload: output });
  else if (hasText(output, (text) => isForeign(ring, ownerId, text))) {
    throw new HubError(
      "bad_request",
      `${what} contains an encrypted value (hub_enc_…) of another user, which would not open.`,
    );
  }
  return bytes;
}

/** A token of a row cannot be tried here. In calls of other users and rows it does not open. */
function isForeign(ring: KeyRing, userId: string, text: string): boolean {
  if (!text.includes(tokenPrefix)) return false;
  return findTokenSpans(text).some(({ start, end }) => {
    const token = text.slice(start, end);
    const isOfRow = parseToken(token)?.version === 2;
    return !isOfRow && findValue(ring, { userId, rowId: null }, token) === null;
  });
}
