import { createHmac, timingSafeEqual } from "node:crypto";
import type { SignedRequest } from "../../../store/workflow-runs/workflow-run-records.ts";
import type { WebhookTrigger } from "../receive/find-webhook-trigger.ts";
import { findSignatureHeader } from "./signature-kinds.ts";

type SignatureRules = Pick<WebhookTrigger, "secret_ref" | "signature_header" | "replay_window_s">;

type SentRequest = {
  headers: Pick<Headers, "get">;
  /** The body as it was sent. */
  raw: Uint8Array;
};

type Checked = {
  /** Null if the workflow has no secret of this name. */
  secret: string | null;
  /** Epoch ms. */
  now: number;
};

/** What is wrong with a signature. Only the owner of the workflow learns it. */
export type SignatureFault =
  | "secret_not_set"
  | "signature_missing"
  | "signature_wrong"
  | "timestamp_missing"
  | "timestamp_outside_window"
  | "timestamp_signature_wrong";

/** What is wrong with the hub's own signature of a request; null if it is valid, or if none is needed. */
export function findSignatureFault(
  trigger: SignatureRules,
  { headers, raw }: SentRequest,
  { secret, now }: Checked,
): SignatureFault | null {
  if (trigger.secret_ref === undefined) return null;
  const given = headers.get(findSignatureHeader(trigger));
  // Also without a secret: the time of the answer must not show whether it is set.
  const isSigned = isSame(given, sign(secret ?? "", [raw]));
  if (secret === null || secret === "") return "secret_not_set";
  if (given === null) return "signature_missing";
  if (!isSigned) return "signature_wrong";
  return findTimeFault(trigger, { headers, raw }, { secret, now });
}

/** With a replay window, a second signature covers the time of sending. */
function findTimeFault(
  { replay_window_s: windowS }: Pick<WebhookTrigger, "replay_window_s">,
  { headers, raw }: SentRequest,
  { secret, now }: { secret: string; now: number },
): SignatureFault | null {
  if (windowS === undefined) return null;
  const timestamp = headers.get("x-hub-timestamp") ?? "";
  if (!/^\d{1,12}$/.test(timestamp)) return "timestamp_missing";
  if (Math.abs(now / 1000 - Number(timestamp)) > windowS) return "timestamp_outside_window";
  const expected = sign(secret, [`${timestamp}.`, raw]);
  return isSame(headers.get("x-hub-sig-timestamped"), expected)
    ? null
    : "timestamp_signature_wrong";
}

/** What tells a signed request from every other one, if the trigger has a replay window; the signature was found valid. */
export function findSignedRequest(
  { secret_ref: secret, replay_window_s: windowS }: SignatureRules,
  headers: Pick<Headers, "get">,
): SignedRequest | null {
  if (secret === undefined || windowS === undefined) return null;
  const id = (headers.get("x-hub-sig-timestamped") ?? "").toLowerCase();
  const sentAt = Number(headers.get("x-hub-timestamp"));
  return { id, validUntil: (sentAt + windowS) * 1000 };
}

function sign(secret: string, parts: ReadonlyArray<string | Uint8Array>): string {
  const hmac = createHmac("sha256", secret);
  for (const part of parts) hmac.update(part);
  return `sha256=${hmac.digest("hex")}`;
}

/** Compares in constant time. */
function isSame(given: string | null, expected: string): boolean {
  const one = Buffer.from((given ?? "").toLowerCase());
  const other = Buffer.from(expected);
  return one.length === other.length && timingSafeEqual(one, other);
}
