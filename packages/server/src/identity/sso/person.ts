import { z } from "zod";
import { stripInvisible } from "../../lib/text/strip-invisible.ts";

/** A person as described by an issuer. */
export type Person = {
  issuer: string;
  subject: string;
  /** In lower case; null if the issuer names no valid one. */
  email: string | null;
  isEmailVerified: boolean;
  name: string | null;
};

const nameCharsMax = 100;

/**
 * Only ASCII: some other letters have an ASCII lower case (the Kelvin sign becomes `k`), so that
 * one address could become the address of another user.
 */
const emailSchema = z
  .string()
  .trim()
  .max(254)
  .regex(/^[\x21-\x3f\x41-\x7e]+@[\x21-\x3f\x41-\x7e]+$/)
  .toLowerCase();

const claimsSchema = z.object({
  iss: z.string().min(1).max(500),
  sub: z.string().min(1).max(255),
  email: emailSchema.nullish().catch(null),
  // Some issuers send the flag as a string.
  email_verified: z
    .union([z.boolean(), z.enum(["true", "false"])])
    .nullish()
    .catch(false),
  name: z.string().nullish().catch(null),
});

/** For an issuer that never says whether an e-mail is verified. An explicit `false` still counts. */
export type EmailTrust = {
  /** Whether all e-mails count as verified. */
  trustsEmail: boolean;
  /** Domains whose e-mails do, in lower case. */
  verifiedDomains: readonly string[];
};

/** Reads verified claims. */
export function toPerson(claims: unknown, { trustsEmail, verifiedDomains }: EmailTrust): Person {
  const { iss, sub, email, email_verified, name } = claimsSchema.parse(claims);
  const domain = email?.slice(email.lastIndexOf("@") + 1) ?? "";
  const verified = email_verified ?? (trustsEmail || verifiedDomains.includes(domain));
  return {
    issuer: iss,
    subject: sub,
    email: email ?? null,
    isEmailVerified: verified === true || verified === "true",
    name: toName(name ?? ""),
  };
}

/** The name as one line. */
function toName(name: string): string | null {
  const line = stripInvisible(name).replace(/\s+/g, " ").trim();
  return line === "" ? null : [...line].slice(0, nameCharsMax).join("");
}
