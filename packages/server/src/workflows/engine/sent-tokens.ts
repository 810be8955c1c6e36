import { type Json, toJsonText } from "@hub/connector";
import { HubError } from "../../errors.ts";
import type { KeyRing } from "../../secrets/key-ring.ts";
import { containsToken, tokenPrefix } from "../../secrets/value-tokens.ts";
import { openWebhookPayload } from "../webhooks/webhook-payload.ts";

/** What a sender gives to a run. A webhook also has its body, as it was sent. */
export type Sent = { payload: Json; raw?: Uint8Array | null | undefined };

/**
 * Throws if it contains a value token. Value tokens belong to one user: in what anyone else than the
 * owner of the workflow sends, those of the owner would open in the owner's calls.
 */
export function checkSentTokens(ring: KeyRing, { payload, raw = null }: Sent): void {
  const contains = (text: string) => text.includes(tokenPrefix) && containsToken(ring, text);
  if (!contains(toJsonText(payload)) && (raw === null || !containsInBody(contains, payload, raw)))
    return;
  throw new HubError(
    "bad_request",
    "What was sent contains an encrypted value of a user (hub_enc_…). Only the owner of a workflow can send their own, and not by a webhook.",
  );
}

function containsInBody(
  contains: (text: string) => boolean,
  payload: Json,
  raw: Uint8Array,
): boolean {
  const text = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString("latin1");
  if (contains(text)) return true;
  // JSON and forms can spell a token with escapes. Few bodies escape such characters.
  if (!escapedTokenChar.test(text)) return false;
  // Safe: the payload of a webhook is an object.
  const { body } = openWebhookPayload(payload as Record<string, Json>, raw) as { body?: Json };
  return body !== undefined && contains(toJsonText(body));
}

/** Letters, digits, `-` and `_`, as JSON (`\u0068`) or a form (`%68`) can escape them. */
const escapedTokenChar = /(?:\\u00|%)(?:2d|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\da])/i;
