import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { createManualTimers } from "../lib/manual-timers.ts";
import { createOneTimePassword, createPasswords, findPasswordFault } from "./passwords.ts";

// One hash is slow on a busy machine.
setDefaultTimeout(60_000);

/** Lets code that waits for a promise continue, within a few microtasks. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A free hasher that the test finishes. */
function createTestHasher() {
  const under: Array<() => void> = [];
  const wait = () => new Promise<void>((resolve) => under.push(resolve));
  return {
    hasher: {
      hash: (password: string) => wait().then(() => `hash of ${password}`),
      verify: (password: string, hash: string) => wait().then(() => hash === `hash of ${password}`),
    },
    /** The number of hashes in progress. */
    count: () => under.length,
    async finishOne() {
      under.shift()?.();
      await settle();
    },
  };
}

describe("checking passwords", () => {
  test("A right password is accepted; a wrong one or a missing hash is not", async () => {
    const passwords = createPasswords();
    const hash = await passwords.hash("correct horse battery");
    expect(hash).toStartWith("$argon2id$");
    expect(await passwords.verify("correct horse battery", hash)).toBeTrue();
    expect(await passwords.verify("correct horse batter", hash)).toBeFalse();
    expect(await passwords.verify("correct horse battery", null)).toBeFalse();
  });

  test("An account without a password costs the same hash as any other", async () => {
    const against: string[] = [];
    let made = 0;
    const hash = await Bun.password.hash("correct horse battery", {
      algorithm: "argon2id",
      memoryCost: 19_456,
      timeCost: 2,
    });
    const passwords = createPasswords({
      hasher: {
        hash: async () => `${++made}`,
        async verify(_, stored) {
          against.push(stored);
          return false;
        },
      },
    });
    for (const stored of [hash, null, null]) await passwords.verify("some guess", stored);
    // Kind, version and cost are the same, and so are the lengths of salt and hash.
    const shapeOf = (text: string) =>
      text.split("$").map((part, n) => (n < 4 ? part : part.length));
    expect(against.map(shapeOf)).toEqual([shapeOf(hash), shapeOf(hash), shapeOf(hash)]);
    expect(made).toBe(0);
    // The real comparison accepts it.
    expect(await Bun.password.verify("some guess", against[1] ?? "")).toBeFalse();
  });

  test("Hashes run one at a time, with a pause only while others wait", async () => {
    const timers = createManualTimers();
    const { hasher, count, finishOne } = createTestHasher();
    const passwords = createPasswords({ timers, hasher });
    const storm = Array.from({ length: 3 }, () => passwords.hash("one of many"));
    expect(count()).toBe(1);
    timers.advance(20);
    await finishOne();
    expect([count(), timers.pending()]).toEqual([0, 1]);
    timers.advance(59);
    expect(count()).toBe(0);
    timers.advance(1);
    await settle();
    expect(count()).toBe(1);
    await finishOne();
    timers.advance(0);
    await settle();
    await finishOne();
    expect(await Promise.all(storm)).toHaveLength(3);
    expect(timers.pending()).toBe(0);
  });

  test("Callers take turns, so that one caller's many requests do not delay the others", async () => {
    const timers = createManualTimers();
    const { hasher, finishOne } = createTestHasher();
    const passwords = createPasswords({ timers, hasher });
    const done: string[] = [];
    const ask = (caller: string, isKnown = false) =>
      passwords.hash("x", { caller, isKnown }).then(() => done.push(caller));
    const asked = [..."aaaaaaab"].map((caller) => ask(caller));
    asked.push(ask("c"), ask("known", true), ask("known", true), ask("known", true));
    for (const _ of asked) {
      await finishOne();
      timers.advance(0);
      await settle();
    }
    expect(done.join(" ")).toBe("a known a known b known c a a a a a");
  });

  async function openQueue() {
    const timers = createManualTimers();
    const { hasher, finishOne } = createTestHasher();
    const passwords = createPasswords({ timers, hasher });
    return {
      ask: (caller: string, more: { isKnown?: boolean; area?: string } = {}) =>
        passwords.hash("x", { caller, isKnown: false, ...more }).then(
          () => "done",
          (failure) => `${failure.code}: ${failure.message}`,
        ),
      async finish(count: number) {
        for (let n = 0; n < count; n += 1) {
          await finishOne();
          timers.advance(0);
          await settle();
        }
      },
    };
  }

  test("The queue refuses an eleventh request of one caller and a 51st stranger, but no known browser", async () => {
    const { ask, finish } = await openQueue();
    const first = ask("first");
    const own = Array.from({ length: 11 }, () => ask("one"));
    expect(await own.at(-1)).toStartWith("rate_limited: Too many sign-ins from your network");
    await finish(11);
    const others = Array.from({ length: 52 }, (_, n) => ask(`${n}`));
    expect(await others.at(-1)).toStartWith(
      "rate_limited: Too many users are signing in right now",
    );
    const known = ask("known user", { isKnown: true });
    const served = [first, ...own.slice(0, -1), ...others.slice(0, -1), known];
    await finish(52);
    expect(new Set(await Promise.all(served))).toEqual(new Set(["done"]));
  });

  test("A full queue refuses a request of an area that has as many requests as any other", async () => {
    const { ask, finish } = await openQueue();
    const asked = Array.from({ length: 51 }, (_, n) =>
      ask(`${n}`, { area: n % 2 === 0 ? "one provider" : "another" }),
    );
    const newcomer = ask("newcomer", { area: "another" });
    await finish(51);
    expect(await newcomer).toStartWith("rate_limited: Too many users are signing in right now");
    expect(new Set(await Promise.all(asked))).toEqual(new Set(["done"]));
  });

  test("A full queue accepts a request of an area with two fewer, and refuses one of the largest area", async () => {
    const { ask, finish } = await openQueue();
    // The first is served at once; of the fifty others, 26 are of one area and 24 of the other.
    const asked = Array.from({ length: 51 }, (_, n) =>
      ask(`${n}`, { area: n <= 26 ? "one provider" : "another" }),
    );
    const newcomer = ask("newcomer", { area: "another" });
    await finish(51);
    expect(await newcomer).toBe("done");
    const refused = (await Promise.all(asked)).flatMap((answer, n) => (answer === "done" ? [] : n));
    expect(refused).toHaveLength(1);
    expect(refused[0]).toBeLessThanOrEqual(26);
  });

  test("A few callers, or many of one area, cannot block a full queue for others", async () => {
    for (const toCaller of [(n: number) => `${n % 5}`, (n: number) => `${n}`]) {
      const { ask, finish } = await openQueue();
      const isOneArea = toCaller(5) === "5";
      const flood = Array.from({ length: 51 }, (_, n) =>
        ask(toCaller(n), isOneArea ? { area: "one provider" } : {}),
      );
      const newcomers = ["newcomer one", "newcomer two"].map((caller) => ask(caller));
      await finish(51);
      expect(await Promise.all(newcomers)).toEqual(["done", "done"]);
      const refused = (await Promise.all(flood)).filter((answer) => answer !== "done");
      expect(refused).toHaveLength(2);
    }
  });
});

describe("a password", () => {
  test.each([
    ["that is short", "short one", "characters"],
    ["that everybody tries", "passwordpassword", "guess"],
    ["of one letter", "aaaaaaaaaaaaaaaa", "guess"],
    ["made of the e-mail address", "ada.lovelace1815", "e-mail"],
    ["without end", "x".repeat(1025), "at most"],
  ])("%s is refused as a password with the reason", (_, password, word) => {
    expect(findPasswordFault(password, { email: "ada.lovelace@example.com" })).toContain(word);
  });

  const keys = "\u{1f510}\u{1f511}\u{1f512}\u{1f513}";

  test.each([
    ["of 12 characters", "abcdefghijkl", "ada@example.com"],
    ["of 12 characters that take two units each", keys.repeat(3), "ada@example.com"],
    ["of 1024 characters", "abcd".repeat(256), "ada@example.com"],
    ["of four different letters", "abcdabcdabcd", "ada@example.com"],
    ["that begins with a name of five letters", "ada.l-and-more", "ada.l@example.com"],
    ["that contains the name elsewhere", "the ada.lovelace", "ada.lovelace@example.com"],
  ])("A password %s is accepted", (_, password, email) => {
    expect(findPasswordFault(password, { email })).toBeNull();
  });

  test.each([
    ["of 11 characters", "abcdefghijk", "ada@example.com", "at least 12"],
    ["of 11 characters that take two units each", keys.repeat(3).slice(2), "a@b", "at least 12"],
    ["of three different letters", "abcabcabcabc", "ada@example.com", "guess"],
    ["that is the whole address", "Ada@Example.com", "ada@example.com", "e-mail"],
    ["that begins with a name of six letters", "ADA.LO-and-more", "ada.lo@example.com", "e-mail"],
  ])("A password %s is refused", (_, password, email, says) => {
    expect(findPasswordFault(password, { email })).toContain(says);
  });

  test("A password of a few words is accepted", () => {
    expect(findPasswordFault("correct horse battery", { email: "ada@example.com" })).toBeNull();
  });

  test("Every one-time password is different", () => {
    const made = new Set(Array.from({ length: 100 }, createOneTimePassword));
    expect(made.size).toBe(100);
    for (const one of made) expect(one).toMatch(/^([a-z2-9]{4}-){3}[a-z2-9]{4}$/);
  });
});
