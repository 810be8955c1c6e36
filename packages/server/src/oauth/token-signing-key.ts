import { createPrivateKey } from "node:crypto";
import type { JWK } from "oidc-provider";
import type { KeyRing } from "../secrets/keys/key-ring.ts";

const noSalt = new Uint8Array();
/** The bytes before the seed of an Ed25519 key in PKCS #8. */
const ed25519Prefix = Buffer.from("302e020100300506032b657004220420", "hex");

/** The provider requires a signing key. It is never used, because tokens are opaque. */
export function deriveSigningKey(ring: KeyRing): JWK {
  const seed = ring.sealing.derive("hub-oauth-signing-v1", noSalt);
  const key = createPrivateKey({
    key: Buffer.concat([ed25519Prefix, seed]),
    format: "der",
    type: "pkcs8",
  });
  // Both describe the same standard, RFC 7517.
  return { ...key.export({ format: "jwk" }), use: "sig", alg: "EdDSA" } as JWK;
}
