import { z } from "zod";
import { HubError } from "../../errors.ts";

const keysMax = 10;
const charsMax = 32_768;
/** An RSA modulus of 2,048 bits in base64url. */
const modulusCharsMin = 341;

const keySchema = z.looseObject({ kty: z.enum(["RSA", "EC", "OKP"]), n: z.string().optional() });
const keySetSchema = z.object({ keys: z.array(keySchema).min(1).max(keysMax) });

/** Private and symmetric parts of a key (RFC 7518, section 6). */
const privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/** A JSON Web Key Set as text, from a set or one key. Throws `bad_request` for anything else, and for private keys. */
export function readPublicKeys(given: unknown): string {
  const isSet = typeof given === "object" && given !== null && "keys" in given;
  const { data } = keySetSchema.safeParse(isSet ? given : { keys: [given] });
  if (data === undefined) {
    throw new HubError(
      "bad_request",
      `jwks must be a JSON Web Key Set with 1 to ${keysMax} public keys (RSA, EC or OKP), or one such key.`,
    );
  }
  for (const key of data.keys) {
    if (privateMembers.some((member) => Object.hasOwn(key, member))) {
      throw new HubError(
        "bad_request",
        "jwks has a private key. It is known now: make another pair, and send its public key only.",
      );
    }
    if (key.kty === "RSA" && (key.n ?? "").length < modulusCharsMin) {
      throw new HubError("bad_request", "An RSA key of jwks must have at least 2048 bits.");
    }
  }
  const text = JSON.stringify(data);
  if (text.length > charsMax) throw new HubError("bad_request", "jwks is too large.");
  return text;
}
