import { deserialize, serialize } from "node:v8";
import type { StoredPlan } from "./plan-changes.ts";

const lengthBytes = 8;

/** A plan with its length, so that one that was not sent whole is not stored. */
export function toPlanBytes({ statements, read }: StoredPlan): Uint8Array {
  const body = serialize({ statements, read });
  const length = Buffer.alloc(lengthBytes);
  length.writeBigUInt64LE(BigInt(body.length));
  return Buffer.concat([length, body]);
}

/** Null if the plan is not whole. */
export function fromPlanBytes(bytes: Uint8Array): StoredPlan | null {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.length < lengthBytes) return null;
  const body = buffer.subarray(lengthBytes);
  if (BigInt(body.length) !== buffer.readBigUInt64LE()) return null;
  // Safe: only `toPlanBytes` of the same program makes them.
  return deserialize(body) as StoredPlan;
}
