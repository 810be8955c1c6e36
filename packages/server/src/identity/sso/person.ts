import { z } from "zod";

/** Whom an issuer says somebody is. */
export type Person = {
  issuer: string;
  subject: string;
  /** Lower case; null where the issuer names none that can be used. */
  email: string | null;
  isEmailVerified: boolean;
  name: string | null;
};

const nameCharsMax = 100;

/**
 * ASCII alone: there are letters whose lower case is an ASCII one (the Kelvin sign is `k`), and with
 * them an address at one domain would become that of a user at another.
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
  // Some issuers write the flag as a text.
  email_verified: z
    .union([z.boolean(), z.enum(["true", "false"])])
    .nullish()
    .catch(false),
  name: z.string().nullish().catch(null),
});

/**
 * Reads claims that were checked to be the issuer's. `trustsEmail` is for an issuer that never says
 * whether an e-mail is verified; one that says no is believed all the same.
 */
export function toPerson(claims: unknown, { trustsEmail }: { trustsEmail: boolean }): Person {
  const { iss, sub, email, email_verified, name } = claimsSchema.parse(claims);
  const verified = email_verified ?? trustsEmail;
  return {
    issuer: iss,
    subject: sub,
    email: email ?? null,
    isEmailVerified: verified === true || verified === "true",
    name: toName(name ?? ""),
  };
}

/** One line, as a person's name is shown. */
function toName(name: string): string | null {
  const line = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  return line === "" ? null : [...line].slice(0, nameCharsMax).join("");
}
