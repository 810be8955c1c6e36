import { randomBytes, randomInt } from "node:crypto";
import { systemTimers, type Timers } from "../lib/time/timers.ts";
import { createHashQueue, type HashQueueKey } from "./hash-queue.ts";

export const passwordCharsMin = 12;
export const passwordCharsMax = 1024;

/** Memory in KiB and rounds: OWASP's recommendation for argon2id. */
const cost = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

/** The most common passwords of sufficient length. */
const wellKnown = new Set([
  "123456789012",
  "1234567890123",
  "password1234",
  "passwordpassword",
  "qwertyuiop123",
  "qwertyuiopas",
  "adminadminadmin",
  "changemechangeme",
]);

/** Hashes and compares: argon2id, or a cheap fake in tests. */
export type PasswordHasher = {
  hash(password: string): Promise<string>;
  verify(password: string, hash: string): Promise<boolean>;
};

const argon2id: PasswordHasher = {
  hash: (password) => Bun.password.hash(password, cost),
  verify: (password, hash) => Bun.password.verify(password, hash),
};

export type Passwords = ReturnType<typeof createPasswords>;

/** Hashes and checks passwords, one at a time. A process has one, since all must wait in one queue. */
export function createPasswords({
  timers = systemTimers,
  hasher = argon2id,
  readProcessorMs,
}: {
  timers?: Timers;
  hasher?: PasswordHasher;
  readProcessorMs?: () => number;
} = {}) {
  const queue = createHashQueue({ timers, ...(readProcessorMs && { readProcessorMs }) });
  const absentHash = makeAbsentHash();
  return {
    /** Throws `rate_limited` if too many others wait. */
    checkCapacity: queue.checkCapacity,

    hash: (password: string, queueKey: HashQueueKey) =>
      queue.run(queueKey, () => hasher.hash(password)),

    /** Does the same work for an account that has no password or does not exist. */
    async verify(
      password: string,
      stored: string | null,
      queueKey: HashQueueKey,
    ): Promise<boolean> {
      const against = stored ?? absentHash;
      const isRight = await queue.run(queueKey, () => hasher.verify(password, against));
      return isRight && stored !== null;
    },
  };
}

/** The hash of no password: random bytes. A comparison with it costs as much as any other. */
function makeAbsentHash(): string {
  const toPart = (bytes: number) => randomBytes(bytes).toString("base64").replaceAll("=", "");
  const { memoryCost, timeCost } = cost;
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=1$${toPart(32)}$${toPart(32)}`;
}

/** Why a password is refused, as a sentence; null for a good one. */
export function findPasswordFault(password: string, about: { email: string }): string | null {
  if ([...password].length < passwordCharsMin) {
    return `Use at least ${passwordCharsMin} characters. A few words are easy to remember.`;
  }
  if (password.length > passwordCharsMax) return `Use at most ${passwordCharsMax} characters.`;
  const plain = password.toLowerCase();
  if (wellKnown.has(plain) || new Set(plain).size < 4) return "This password is too easy to guess.";
  const [name = ""] = about.email.toLowerCase().split("@");
  if (plain === about.email.toLowerCase() || (name.length >= 6 && plain.startsWith(name))) {
    return "Use a password that is not made from the e-mail address.";
  }
  return null;
}

/** Letters and digits without those that look alike. */
const alphabet = "abcdefghjkmnpqrstuvwxyz23456789";

/** A random password to give to a user, such as `k7fm-29qd-xw4t-ahre`: about 79 bits. */
export function createOneTimePassword(): string {
  const group = () =>
    Array.from({ length: 4 }, () => alphabet[randomInt(alphabet.length)]).join("");
  return [group(), group(), group(), group()].join("-");
}
