import type { Json } from "@hub/connector";
import { HubError } from "../../../errors.ts";
import type { KeyRing } from "../../../secrets/keys/key-ring.ts";
import { containsToken, tokenPrefix } from "../../../secrets/value-tokens/value-tokens.ts";
import { findContentType, multipartType } from "../../webhooks/body/content-type.ts";
import { findEncoding, toBuffer } from "../../webhooks/body/decode-text.ts";
import { openWebhookPayload } from "../../webhooks/body/webhook-payload.ts";
import { hasText } from "./has-text.ts";

/** What a sender gives to a run. A webhook also has its body, as it was sent. */
export type Sent = { payload: Json; raw?: Uint8Array | null | undefined };

/**
 * Throws if it contains a value token. Value tokens belong to one user: in what anyone else than the
 * owner of the workflow sends, those of the owner would open in the owner's calls.
 */
export function checkSentTokens(ring: KeyRing, { payload, raw = null }: Sent): void {
  const isToken = (text: string) => text.includes(tokenPrefix) && containsToken(ring, text);
  if (!hasText(payload, isToken) && (raw === null || !isInBody(isToken, payload, raw))) return;
  throw new HubError(
    "bad_request",
    "What was sent contains an encrypted value of a user (hub_enc_…). Only the owner of a workflow can send their own, and not by a webhook.",
  );
}

function isInBody(isToken: (text: string) => boolean, payload: Json, raw: Uint8Array): boolean {
  const bytes = toBuffer(raw);
  if (bytes.includes(tokenPrefix) && isToken(bytes.toString("latin1"))) return true;
  // Safe: the payload of a webhook is an object.
  const sent = payload as Record<string, Json>;
  const { charset, mediaType } = findContentType(sent);
  const isOther = findEncoding(charset) !== "utf-8";
  // JSON and forms can spell a token with escapes, parts with names or a charset of their own, other charsets with other bytes.
  const isPlain = !isOther && mediaType !== multipartType;
  if (isPlain && !bytes.includes("\\u00") && !bytes.includes("%")) return false;
  const { body, raw: text } = openWebhookPayload(sent, raw) as { body?: Json; raw: string };
  return (isOther && isToken(text)) || (body !== undefined && hasText(body, isToken));
}
