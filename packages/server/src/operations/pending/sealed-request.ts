import { type Json, parseJson, toJsonText } from "@hub/connector";
import { HubError } from "../../errors.ts";
import {
  openAtRest,
  resealAtRest,
  type SecretLocation,
  sealAtRest,
} from "../../secrets/at-rest/at-rest.ts";
import type { KeyRing } from "../../secrets/keys/key-ring.ts";
import { type CallDigest, type DigestedRequest, digestRequest } from "../calls/call-digest.ts";
import type { ClientRequest, ExecuteRequest } from "../operations.ts";

/** A request as its caller sent it, with value tokens unopened. */
export type KeptRequest = Pick<ExecuteRequest, "toolId" | "params" | "fields" | "account"> & {
  readsOnly: boolean;
  /** What its digest is made of, beside the params. A rotation of the keys makes it again. */
  digested: Omit<DigestedRequest, "params">;
};

/** What a call that ran has answered. */
export type KeptResult =
  | { kind: "result"; text: string }
  | { kind: "failure"; code: string; message: string; detail: Record<string, unknown> };

/** A question keeps no more. */
const requestCharsMax = 1024 * 1024;

export function sealRequest(ring: KeyRing, id: string, request: KeptRequest): Uint8Array {
  const text = toJsonText(request);
  if (text.length > requestCharsMax) {
    throw new HubError(
      "refused_by_rule",
      "A person must approve this call, and its params are larger than 1 MiB. Send less in one call.",
    );
  }
  return sealAtRest(ring, toLocation(id, "sealed"), text);
}

/** Null after its text was deleted. */
export function openRequest(ring: KeyRing, id: string, sealed: Uint8Array): KeptRequest | null {
  if (sealed.length === 0) return null;
  // Safe: only `sealRequest` writes it, and the seal is authenticated.
  return parseJson(openAtRest(ring, toLocation(id, "sealed"), sealed)) as KeptRequest;
}

export function sealResult(ring: KeyRing, id: string, result: KeptResult): Uint8Array {
  return sealAtRest(ring, toLocation(id, "result"), toJsonText(result));
}

export function openResult(ring: KeyRing, id: string, sealed: Uint8Array): KeptResult {
  // Safe: as above.
  return parseJson(openAtRest(ring, toLocation(id, "result"), sealed)) as KeptResult;
}

/** What a running task asks its client, or was answered, in place of its result. */
export type TaskInput =
  | { kind: "question"; key: string; request: ClientRequest }
  | { kind: "answer"; response: Json };

export function sealTaskInput(ring: KeyRing, id: string, input: TaskInput): Uint8Array {
  return sealAtRest(ring, toLocation(id, "result"), toJsonText(input));
}

export function openTaskInput(ring: KeyRing, id: string, sealed: Uint8Array): TaskInput {
  // Safe: as above.
  return parseJson(openAtRest(ring, toLocation(id, "result"), sealed)) as TaskInput;
}

/** What a pending call has sealed, and the digest that finds it. */
export type SealedParts = { sealed: Uint8Array; result: Uint8Array | null };

/**
 * Seals a pending call again, with the sealing key of the ring, and makes its digest with this key, so that repeats find it
 * after the older key is removed. Throws as `openAtRest` does.
 */
export async function resealPendingCall(
  ring: KeyRing,
  id: string,
  { sealed, result }: SealedParts,
): Promise<SealedParts & { digest: CallDigest | null }> {
  const request = openRequest(ring, id, sealed);
  const parts = {
    sealed: request === null ? sealed : resealAtRest(ring, toLocation(id, "sealed"), sealed),
    result: result === null ? null : resealAtRest(ring, toLocation(id, "result"), result),
  };
  if (request === null) return { ...parts, digest: null };
  const { digested, params } = request;
  return { ...parts, digest: await digestRequest(ring, { ...digested, params }) };
}

function toLocation(row: string, field: "sealed" | "result"): SecretLocation {
  return { table: "pending_calls", row, field };
}
