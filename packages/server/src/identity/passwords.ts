import { randomBytes, randomInt } from "node:crypto";
import { systemTimers, type Timers } from "../lib/timers.ts";
import { createFairTurns, type Ticket } from "./fair-turns.ts";

export const passwordCharsMin = 12;
export const passwordCharsMax = 1024;

/** Memory in KiB and rounds, as OWASP's first choice for argon2id has them. */
const cost = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;
/**
 * A hash keeps a core busy for some 20 ms. While people queue up, a rest of so many times that follows
 * each one: a storm of sign-ins has a quarter of a core, and slows no other call.
 */
const restPerWork = 3;
/** Past these, callers are refused rather than everybody served late. */
const waitingMax = 50;
const waitingPerCallerMax = 10;

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

/** What hashes and compares: argon2id, or in tests something that costs nothing. */
export type PasswordHasher = {
  hash(password: string): Promise<string>;
  verify(password: string, hash: string): Promise<boolean>;
};

const argon2id: PasswordHasher = {
  hash: (password) => Bun.password.hash(password, cost),
  verify: (password, hash) => Bun.password.verify(password, hash),
};

/** The hub itself, where no caller waits: a command, or the first start. */
const own: Ticket = { caller: "hub", isKnown: true };

export type Passwords = ReturnType<typeof createPasswords>;

/** Hashes and checks passwords, one at a time and in fair turns. */
export function createPasswords({
  timers = systemTimers,
  hasher = argon2id,
}: {
  timers?: Timers;
  hasher?: PasswordHasher;
} = {}) {
  const turns = createFairTurns({ timers, restPerWork, waitingMax, waitingPerCallerMax });
  const absentHash = makeAbsentHash();
  return {
    /** Throws `rate_limited` where too many wait already. */
    checkRoom: turns.checkRoom,

    hash: (password: string, ticket = own) => turns.take(ticket, () => hasher.hash(password)),

    /** As much work for an account that has no password, or is not there, as for any other. */
    async verify(password: string, stored: string | null, ticket = own): Promise<boolean> {
      const against = stored ?? absentHash;
      const isRight = await turns.take(ticket, () => hasher.verify(password, against));
      return isRight && stored !== null;
    },
  };
}

/** Of no password: random bytes in the place of a hash. To compare with it costs what others cost. */
function makeAbsentHash(): string {
  const toPart = (bytes: number) => randomBytes(bytes).toString("base64").replaceAll("=", "");
  const { memoryCost, timeCost } = cost;
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=1$${toPart(32)}$${toPart(32)}`;
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
