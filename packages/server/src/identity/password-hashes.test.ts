import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { createManualTimers } from "../lib/time/manual-timers.ts";
import type { HashQueueKey } from "./hash-queue.ts";
import { createOneTimePassword, createPasswords, findPasswordFault } from "./password-hashes.ts";

// One hash is slow on a busy machine.
setDefaultTimeout(180_000);

/** Lets code that waits for a promise continue, within a few microtasks. */
const flush = () => new Promise((resolve) => setImmediate(resolve));

const stranger = (owner: string, area = owner): HashQueueKey => ({
  owner,
  area,
  lane: "strangers",
});

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
      await flush();
    },
  };
}

const own: HashQueueKey = { owner: "hub", lane: "admins" };

describe("checking passwords", () => {
  test("A right password is accepted; a wrong one or a missing hash is not", async () => {
    const passwords = createPasswords();
    const hash = await passwords.hash("correct horse battery", own);
    expect(hash).toStartWith("$argon2id$");
    expect(await passwords.verify("correct horse battery", hash, own)).toBeTrue();
    expect(await passwords.verify("correct horse batter", hash, own)).toBeFalse();
    expect(await passwords.verify("correct horse battery", null, own)).toBeFalse();
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
    for (const stored of [hash, null, null]) await passwords.verify("some guess", stored, own);
    // Kind, version and cost are the same, and so are the lengths of salt and hash.
    const shapeOf = (text: string) =>
      text.split("$").map((part, n) => (n < 4 ? part : part.length));
    expect(against.map(shapeOf)).toEqual([shapeOf(hash), shapeOf(hash), shapeOf(hash)]);
    expect(made).toBe(0);
    // The real comparison accepts it.
    expect(await Bun.password.verify("some guess", against[1] ?? "")).toBeFalse();
  });

  /** Passwords with a simulated clock, and a processor clock that `use` moves. */
  function openPasswords() {
    const timers = createManualTimers();
    const { hasher, count, finishOne } = createTestHasher();
    let processorMs = 0;
    const passwords = createPasswords({ timers, hasher, readProcessorMs: () => processorMs });
    return {
      passwords,
      timers,
      count,
      finishOne,
      /** Time passes, of which a hash uses some on a processor. */
      use(wallMs: number, usedMs: number) {
        timers.advance(wallMs);
        processorMs += usedMs;
      },
      /** Finishes hashes and the pauses behind them. */
      async finish(hashes: number) {
        await flush();
        for (let n = 0; n < hashes; n += 1) {
          await finishOne();
          timers.advance(1000);
          await flush();
        }
      },
    };
  }

  test("Hashes run one at a time, with a pause only while others wait", async () => {
    const { passwords, timers, count, use, finishOne } = openPasswords();
    const storm = Array.from({ length: 3 }, () => passwords.hash("one of many", own));
    await flush();
    expect(count()).toBe(1);
    use(20, 20);
    await finishOne();
    expect([count(), timers.pending()]).toEqual([0, 1]);
    timers.advance(59);
    await flush();
    expect(count()).toBe(0);
    timers.advance(1);
    await flush();
    expect(count()).toBe(1);
    await finishOne();
    timers.advance(0);
    await flush();
    await finishOne();
    expect(await Promise.all(storm)).toHaveLength(3);
    expect(timers.pending()).toBe(0);
  });

  test.each([
    ["a hash that waited for a processor", 400, 20, 60],
    ["a hash beside other work of the process", 20, 400, 60],
    ["a hash that took very long", 900, 900, 200],
  ])("The pause after %s does not grow with the time of others", async (_, wallMs, usedMs, pauseMs) => {
    const { passwords, timers, count, use, finishOne } = openPasswords();
    void passwords.hash("first", own);
    void passwords.hash("second", own);
    await flush();
    use(wallMs, usedMs);
    await finishOne();
    timers.advance(pauseMs - 1);
    await flush();
    expect(count()).toBe(0);
    timers.advance(1);
    await flush();
    expect(count()).toBe(1);
  });

  test("Networks are served round-robin, so that one network's many requests do not delay the others", async () => {
    const { passwords, finish } = openPasswords();
    const done: string[] = [];
    const ask = (queueKey: HashQueueKey) =>
      passwords.hash("x", queueKey).then(() => done.push(queueKey.owner));
    const asked = [..."aaaaaaab"].map((owner) => ask(stranger(owner)));
    asked.push(ask(stranger("c")), ...[1, 2, 3].map(() => ask({ owner: "known", lane: "known" })));
    await finish(asked.length);
    expect(done.join(" ")).toBe("a a known b known c known a a a a a");
  });

  test("Sixty networks of one area delay a new browser by two hashes at most (attack)", async () => {
    const { passwords, finish } = openPasswords();
    const done: string[] = [];
    const ask = (owner: string, area: string) =>
      passwords.hash("x", stranger(owner, area)).then(
        () => done.push(owner),
        () => done.push("refused"),
      );
    for (let n = 0; n < 120; n += 1) void ask(`203.0.113.${n % 60}`, "203.0.113");
    void ask("198.51.100.7", "198.51.100");
    await flush();
    expect(done.filter((owner) => owner === "refused")).toHaveLength(120 - 50);
    await finish(3);
    expect(done.indexOf("198.51.100.7") - done.lastIndexOf("refused")).toBeWithin(1, 4);
  });

  async function openQueue() {
    const { passwords, finish } = openPasswords();
    return {
      finish,
      ask: (queueKey: HashQueueKey) =>
        passwords.hash("x", queueKey).then(
          () => "done",
          (failure) => `${failure.code}: ${failure.message}`,
        ),
    };
  }

  test("The queue refuses an eleventh request of one network and a 51st stranger, but no known browser", async () => {
    const { ask, finish } = await openQueue();
    const first = ask(stranger("first"));
    const requests = Array.from({ length: 11 }, () => ask(stranger("one")));
    expect(await requests.at(-1)).toStartWith("rate_limited: Too many sign-ins from your network");
    await finish(11);
    const others = Array.from({ length: 52 }, (_, n) => ask(stranger(`${n}`)));
    expect(await others.at(-1)).toStartWith(
      "rate_limited: Too many users are signing in right now",
    );
    const known = ask({ owner: "known user", lane: "known" });
    const served = [first, ...requests.slice(0, -1), ...others.slice(0, -1), known];
    await finish(52);
    expect(new Set(await Promise.all(served))).toEqual(new Set(["done"]));
  });

  test("An admin who sets forty passwords at once is not refused, and delays no stranger", async () => {
    const { ask, finish } = await openQueue();
    const made = Array.from({ length: 40 }, (_, n) =>
      ask({ owner: `user ${n}`, area: "an admin", lane: "admins" }),
    );
    const browser = ask(stranger("new"));
    await finish(3);
    expect(await browser).toBe("done");
    await finish(38);
    expect(new Set(await Promise.all(made))).toEqual(new Set(["done"]));
  });

  test("A few networks, or many of one area, cannot block a full queue for others", async () => {
    for (const toQueueKey of [
      (n: number) => stranger(`${n % 5}`),
      (n: number) => stranger(`${n}`, "one provider"),
    ]) {
      const { ask, finish } = await openQueue();
      const flood = Array.from({ length: 51 }, (_, n) => ask(toQueueKey(n)));
      const newcomers = ["newcomer one", "newcomer two"].map((owner) => ask(stranger(owner)));
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
