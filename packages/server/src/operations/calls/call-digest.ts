import { createHash, createHmac, type Hmac } from "node:crypto";
import { toJsonText } from "@hub/connector";
import { toOperationSchema } from "../../connectors/operation-schema.ts";
import { writeJson } from "../../lib/json/write-json.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import type { KeyRing } from "../../secrets/keys/key-ring.ts";
import type { Target } from "../catalogue/find-operation.ts";
import { toToolId } from "../catalogue/tool-id.ts";
import type { CallingStep } from "../operations.ts";

/**
 * Recognizes an equal call, and reveals nothing of it. Digests with the same key are compared; a rotation
 * of the keys changes none.
 */
export type CallDigest = { keyId: number; text: string };

const purpose = "hub-call-digest-v1";
const noSalt = new Uint8Array();
/** About 3 ms of work. */
const charsPerPortion = 1024 * 1024;

/**
 * The digest of a call of an operation: of the row, the operation and its input schema as they are now,
 * and the params as the caller gave them, with tokens unopened. `keyId` is the key of the digest that it
 * is compared with; the default is the sealing key. Null if the ring has no such key.
 */
export async function digestCall(
  ring: KeyRing,
  { row, operation }: Pick<Target, "row" | "operation">,
  params: Record<string, unknown>,
  keyId: number = ring.sealing.id,
): Promise<CallDigest | null> {
  const key = ring.keys.get(keyId);
  if (key === undefined) return null;
  const schema = createHash("sha256").update(await writeCanonical(toOperationSchema(operation)));
  const target = [toToolId(row.id, operation.key), schema.digest("base64url")];
  const hmac = createHmac("sha256", key.derive(purpose, noSalt));
  // JSON has no line break between its tokens here, so the two parts cannot be confused.
  hmac.update(`${toJsonText(target)}\n`);
  await updateInPortions(hmac, await writeCanonical(params));
  return { keyId, text: hmac.digest("base64url") };
}

const requestPurpose = "hub-call-request-v1";

/** The caller's part of a call: what it is of, and what was sent, with value tokens unopened. */
export type DigestedRequest = {
  toolId: string;
  params: Record<string, unknown>;
  /** The id of the account that it uses; null for the access of its row. */
  account: string | null;
  fields: readonly string[];
  /** The step of a workflow's run that sent it: equal calls of two steps are two calls. Null for other calls. */
  step: CallingStep | null;
};

/** The digest of what a caller sent: two calls have the same if they are equal. Null if the ring has no such key. */
export async function digestRequest(
  ring: KeyRing,
  { toolId, params, account, fields, step }: DigestedRequest,
  keyId: number = ring.sealing.id,
): Promise<CallDigest | null> {
  const key = ring.keys.get(keyId);
  if (key === undefined) return null;
  const hmac = createHmac("sha256", key.derive(requestPurpose, noSalt));
  const sender = step === null ? null : [step.nodeId, step.item, step.attempt];
  hmac.update(`${toJsonText([toolId, account, [...fields], sender])}\n`);
  await updateInPortions(hmac, await writeCanonical(params));
  return { keyId, text: hmac.digest("base64url") };
}

async function updateInPortions(hmac: Hmac, text: string): Promise<void> {
  for (let at = 0; at < text.length; ) {
    if (at > 0) await yieldToEventLoop();
    const end = findPortionEnd(text, at);
    hmac.update(text.slice(at, end));
    at = end;
  }
}

/** Never inside a character: the two halves of all characters have the same bytes. */
function findPortionEnd(text: string, start: number): number {
  const end = start + charsPerPortion;
  const isInside = (text.codePointAt(end - 1) ?? 0) > 0xffff;
  return isInside ? end - 1 : end;
}

/** JSON text in which the order of members does not count. Numbers keep their digits. */
export async function writeCanonical(value: unknown): Promise<string> {
  const options = { yieldToEventLoop, textCharsMax: Number.POSITIVE_INFINITY, isSorted: true };
  return (await writeJson(options, value)).text;
}
