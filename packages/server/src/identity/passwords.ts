import { randomBytes, randomInt } from "node:crypto";
import { HubError } from "../errors.ts";

export const passwordCharsMin = 12;
export const passwordCharsMax = 1024;

/** Memory in KiB and rounds, as OWASP's first choice for argon2id has them. */
const cost = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;
/** Each hash keeps a core busy for some 20 ms: more at once would slow every other call. */
const hashesAtOnce = 1;
/** Who comes when so many wait is sent away, rather than everybody served late. */
const waitingMax = 50;

/** What everybody tries first. Longer ones are few, since short ones are refused anyway. */
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

export type Passwords = ReturnType<typeof createPasswords>;

/** Hashes and checks passwords, a few at a time. */
export function createPasswords() {
  let running = 0;
  const waiting: (() => void)[] = [];
  let absentHash: Promise<string> | null = null;

  async function takeTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= hashesAtOnce) {
      if (waiting.length >= waitingMax) {
        throw new HubError(
          "rate_limited",
          "Too many people sign in right now. Try again in a while.",
        );
      }
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      // The place is handed on, so that nobody slips in between.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  }

  const hash = (password: string) => takeTurn(() => Bun.password.hash(password, cost));

  return {
    hash,

    /** As much work for an account that has no password, or is not there, as for any other. */
    async verify(password: string, stored: string | null): Promise<boolean> {
      absentHash ??= hash(randomBytes(16).toString("hex"));
      const against = stored ?? (await absentHash);
      const isRight = await takeTurn(() => Bun.password.verify(password, against));
      return isRight && stored !== null;
    },
  };
}

/** Why a password is not good enough, as a sentence; null when it is. */
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

/** Letters and digits that nobody mistakes for one another. */
const alphabet = "abcdefghjkmnpqrstuvwxyz23456789";

/** A password to hand over once, such as `k7fm-29qd-xw4t-ahre`: some 79 bits. */
export function createOneTimePassword(): string {
  const group = () =>
    Array.from({ length: 4 }, () => alphabet[randomInt(alphabet.length)]).join("");
  return [group(), group(), group(), group()].join("-");
}
