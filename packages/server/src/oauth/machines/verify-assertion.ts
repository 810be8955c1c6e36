import type { JSONWebKeySet, JWTPayload } from "jose";
import { signingAlgorithms } from "../endpoints.ts";
import { TokenRefusal } from "./token-refusal.ts";

/** A longer one is no assertion. */
const assertionCharsMax = 16_384;
const skewSeconds = 30;

/** An assertion, not verified yet: only for the choice of the keys. */
export type UnverifiedAssertion = { text: string; typ: string; issuer: string };

/** Throws `invalid_grant` for what is no signed JWT of an issuer. */
export async function readUnverified(text: string): Promise<UnverifiedAssertion> {
  if (text.length > assertionCharsMax) throw refuse("the assertion is too long");
  const { decodeJwt, decodeProtectedHeader } = await import("jose");
  try {
    const { typ = "" } = decodeProtectedHeader(text);
    const { iss } = decodeJwt(text);
    if (typeof iss === "string") return { text, typ: typ.toLowerCase(), issuer: iss };
  } catch {
    // It is no JWT.
  }
  throw refuse("the assertion is no JWT of an issuer");
}

export type Expected = {
  issuer: string;
  /** It is for one of these, and for no other server. */
  audiences: readonly string[];
  now: number;
  /** How long it may be valid, in seconds from `iat`. */
  lifetimeSecondsMax: number;
};

/** Claims of which the needed ones are there. */
export type VerifiedClaims = JWTPayload & { iss: string; sub: string; exp: number };

/**
 * Verifies signature, issuer, audience and times. `findKeys` is asked again for newer keys if none of them has signed it.
 * Throws `invalid_grant`.
 */
export async function verifyAssertion(
  text: string,
  findKeys: (isRenewed: boolean) => Promise<JSONWebKeySet>,
  { issuer, audiences, now, lifetimeSecondsMax }: Expected,
): Promise<VerifiedClaims> {
  const { createLocalJWKSet, errors, jwtVerify } = await import("jose");
  const options = {
    algorithms: [...signingAlgorithms],
    issuer,
    audience: [...audiences],
    currentDate: new Date(now),
    clockTolerance: skewSeconds,
    requiredClaims: ["sub", "exp"],
  };
  const verify = async (isRenewed: boolean) =>
    await jwtVerify(text, createLocalJWKSet(await findKeys(isRenewed)), options);
  const payload = await verify(false)
    .catch((thrown: unknown) => {
      if (thrown instanceof errors.JWKSNoMatchingKey) return verify(true);
      throw thrown;
    })
    .then((verified) => verified.payload)
    .catch((thrown: unknown) => {
      throw toRefusal(thrown, errors);
    });
  const { iss, sub, exp, iat, aud } = payload;
  if (typeof iss !== "string" || typeof sub !== "string" || sub === "" || exp === undefined) {
    throw refuse("the assertion lacks iss, sub or exp");
  }
  // One for several servers could be sent on by one of them.
  if (Array.isArray(aud) && aud.length !== 1)
    throw refuse("the assertion is for other servers too");
  const seconds = now / 1000;
  if (iat !== undefined && iat > seconds + skewSeconds)
    throw refuse("the assertion is not valid yet");
  if (exp - (iat ?? seconds) > lifetimeSecondsMax)
    throw refuse("the assertion is valid for too long");
  return { ...payload, iss, sub, exp };
}

type JoseErrors = typeof import("jose").errors;

/** Names the failed check, and nothing of the assertion. */
function toRefusal(thrown: unknown, errors: JoseErrors): TokenRefusal {
  if (thrown instanceof errors.JWTExpired) return refuse("the assertion has expired");
  if (thrown instanceof errors.JWTClaimValidationFailed) {
    return refuse(`the assertion's ${thrown.claim} is wrong or missing`);
  }
  if (thrown instanceof errors.JOSEError) return refuse("the assertion's signature is not valid");
  return refuse("the keys of the issuer cannot be read");
}

function refuse(description: string): TokenRefusal {
  return new TokenRefusal("invalid_grant", description);
}
