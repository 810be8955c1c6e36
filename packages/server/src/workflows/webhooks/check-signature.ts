import { createHmac, timingSafeEqual } from "node:crypto";
import { HubError } from "../../errors.ts";
import type { WebhookTrigger } from "./find-webhook-trigger.ts";

type SignedRequest = {
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

/**
 * Refuses a request without the signature of the trigger's secret. Every refusal is the same, so that a
 * sender cannot tell a missing secret from a wrong signature.
 */
export function checkSignature(
  trigger: Pick<WebhookTrigger, "secret_ref" | "replay_window_s">,
  { headers, raw }: SignedRequest,
  { secret, now }: Checked,
): void {
  if (trigger.secret_ref === undefined) return;
  const isSigned =
    secret !== null && secret !== "" && isSame(headers.get("x-hub-sig"), sign(secret, [raw]));
  if (!isSigned || !isFresh(trigger, { headers, raw }, { secret, now })) {
    throw new HubError(
      "unauthorized",
      "The signature is missing or wrong. Send X-Hub-Sig: sha256=<hex HMAC-SHA256 of the body>.",
    );
  }
}

/** With a replay window, a second signature covers the time of sending. */
function isFresh(
  { replay_window_s: windowS }: Pick<WebhookTrigger, "replay_window_s">,
  { headers, raw }: SignedRequest,
  { secret, now }: { secret: string; now: number },
): boolean {
  if (windowS === undefined) return true;
  const timestamp = headers.get("x-hub-timestamp") ?? "";
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(now / 1000 - Number(timestamp)) > windowS) return false;
  return isSame(headers.get("x-hub-sig-timestamped"), sign(secret, [`${timestamp}.`, raw]));
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
