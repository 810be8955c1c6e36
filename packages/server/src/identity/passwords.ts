import { randomBytes, randomInt } from "node:crypto";
import { HubError } from "../errors.ts";
import { systemTimers, type Timers } from "../lib/timers.ts";

export const passwordCharsMin = 12;
export const passwordCharsMax = 1024;

/** Memory in KiB and rounds, as OWASP's first choice for argon2id has them. */
const cost = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;
/**
 * A hash keeps a core busy for some 20 ms. While people queue up, a rest of so many times that follows
 * each one: a storm of sign-ins has a quarter of a core, and slows no other call.
 */
const restPerWork = 3;
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

/** Hashes and checks passwords, one at a time, and with a rest between those that queue up. */
export function createPasswords({ timers = systemTimers }: { timers?: Timers } = {}) {
  let isBusy = false;
  const waiting: (() => void)[] = [];
  let absentHash: Promise<string> | null = null;

  /** The place is handed on, so that nobody slips in between; after a rest, while others queue. */
  function handOn(tookMs: number): void {
    if (waiting.length === 0) {
      isBusy = false;
      return;
    }
    timers.after(tookMs * restPerWork, () => {
      const next = waiting.shift();
      if (next === undefined) isBusy = false;
      else next();
    });
  }

  async function takeTurn<T>(work: () => Promise<T>): Promise<T> {
    if (isBusy && waiting.length >= waitingMax) {
      throw new HubError(
        "rate_limited",
        "Too many people sign in right now. Try again in a while.",
      );
    }
    if (isBusy) await new Promise<void>((resolve) => waiting.push(resolve));
    isBusy = true;
    const startedAt = timers.now();
    try {
      return await work();
    } finally {
      handOn(timers.now() - startedAt);
    }
  }

  const hash = (password: string) => takeTurn(() => Bun.password.hash(password, cost));

  /** Made when first needed; one that could not be made is tried again. */
  async function findAbsentHash(): Promise<string> {
    absentHash ??= hash(randomBytes(16).toString("hex"));
    try {
      return await absentHash;
    } catch (thrown) {
      absentHash = null;
      throw thrown;
    }
  }

  return {
    hash,

    /** As much work for an account that has no password, or is not there, as for any other. */
    async verify(password: string, stored: string | null): Promise<boolean> {
      const against = stored ?? (await findAbsentHash());
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
