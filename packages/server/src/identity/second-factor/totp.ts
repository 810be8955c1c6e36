import { createHmac, randomBytes } from "node:crypto";
import { isSameText } from "../../lib/text/is-same-text.ts";
import { toBase32 } from "./base32.ts";

/** RFC 6238 with what every app supports: HMAC-SHA-1, 6 digits, 30 seconds. */
const stepMs = 30_000;
const digits = 6;
/** RFC 4226, section 4: at least 128 bits; 160 are recommended. */
const secretBytes = 20;
/** Steps before and after the current one whose codes count, for clocks that differ. */
const driftSteps = 1;

/** A new secret, in the form in which it is stored: base64url. */
export function createTotpSecret(): string {
  return randomBytes(secretBytes).toString("base64url");
}

/** The secret as users type it into an app. */
export function toTypedSecret(secret: string): string {
  return toBase32(Buffer.from(secret, "base64url"));
}

/** The address that a QR code shows to an app. `hub` and `email` are the names in the app. */
export function toTotpUri({
  secret,
  hub,
  email,
}: Record<"secret" | "hub" | "email", string>): string {
  const label = `${encodeURIComponent(hub)}:${encodeURIComponent(email)}`;
  const issuer = encodeURIComponent(hub);
  return `otpauth://totp/${label}?secret=${toTypedSecret(secret)}&issuer=${issuer}&algorithm=SHA1&digits=${digits}&period=${stepMs / 1000}`;
}

/** The number of the step at a time (epoch ms). */
export function toTotpStep(at: number): number {
  return Math.floor(at / stepMs);
}

/** The code of a step. */
export function toTotpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", Buffer.from(secret, "base64url")).update(counter).digest();
  // RFC 4226, section 5.3: the last four bits choose which four bytes make the number.
  const offset = (mac.at(-1) ?? 0) & 15;
  const value = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(value % 10 ** digits).padStart(digits, "0");
}

/** The code as it was typed, without the space that apps show in its middle. Null if it is none. */
export function readTotpCode(typed: string): string | null {
  const code = typed.length > 20 ? "" : typed.replaceAll(/[\s-]/g, "");
  return /^\d{6}$/.test(code) ? code : null;
}

/** The step whose code was typed, at most one away from the current one; null for a wrong code. */
export function findTotpStep(secret: string, code: string, at: number): number | null {
  const current = toTotpStep(at);
  let found: number | null = null;
  for (let step = current - driftSteps; step <= current + driftSteps; step += 1) {
    // Compares all, so that the time does not tell which step it was.
    if (step >= 0 && isSameText(toTotpCode(secret, step), code)) found = step;
  }
  return found;
}
