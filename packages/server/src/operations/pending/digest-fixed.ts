import { createHmac } from "node:crypto";
import type { KeyRing } from "../../secrets/keys/key-ring.ts";
import { writeCanonical } from "../calls/call-digest.ts";

type Params = Record<string, unknown>;

const purpose = "hub-permit-params-v1";
const noSalt = new Uint8Array();

/**
 * The digests of params that a permit keeps as they were approved, by name: `KEY.HMAC`, so that what is stored tells none of
 * them. A param that is left out has one too.
 */
export async function digestFixed(
  ring: KeyRing,
  params: Params,
  names: readonly string[],
): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const name of names) {
    digests[name] = (await digestParam(ring, params, { name, keyId: ring.sealing.id })) ?? "";
  }
  return digests;
}

/** Whether the params are those of the digests. False after their key was removed: the call is asked about. */
export async function isAsFixed(
  ring: KeyRing,
  params: Params,
  fixed: Readonly<Record<string, string>>,
): Promise<boolean> {
  for (const [name, digest] of Object.entries(fixed)) {
    const keyId = Number(digest.split(".", 1)[0]);
    if ((await digestParam(ring, params, { name, keyId })) !== digest) return false;
  }
  return true;
}

/** Null if the ring has no such key. */
async function digestParam(
  ring: KeyRing,
  params: Params,
  { name, keyId }: { name: string; keyId: number },
): Promise<string | null> {
  const key = ring.keys.get(keyId);
  if (key === undefined) return null;
  const value = Object.hasOwn(params, name) ? [params[name]] : [];
  const hmac = createHmac("sha256", key.derive(purpose, noSalt));
  hmac.update(`${JSON.stringify(name)}\n${await writeCanonical(value)}`);
  return `${keyId}.${hmac.digest("base64url")}`;
}
