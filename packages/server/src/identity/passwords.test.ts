import { describe, expect, spyOn, test } from "bun:test";
import { createManualTimers } from "../lib/manual-timers.ts";
import type { Timers } from "../lib/timers.ts";
import { createOneTimePassword, createPasswords, findPasswordFault } from "./passwords.ts";

const withoutRest: Timers = {
  now: () => 0,
  after(_, action) {
    action();
    return () => {};
  },
};

describe("checking passwords", () => {
  test("tells a right one from a wrong one, and nobody's from either", async () => {
    const passwords = createPasswords();
    const hash = await passwords.hash("correct horse battery");
    expect(hash).toStartWith("$argon2id$");
    expect(await passwords.verify("correct horse battery", hash)).toBeTrue();
    expect(await passwords.verify("correct horse batter", hash)).toBeFalse();
    expect(await passwords.verify("correct horse battery", null)).toBeFalse();
  });

  test("costs one hash of the same kind, whether there is one to compare with or not", async () => {
    const passwords = createPasswords({ timers: withoutRest });
    const hash = await passwords.hash("correct horse battery");
    await passwords.verify("first of all", null);
    const verify = spyOn(Bun.password, "verify");
    const makeHash = spyOn(Bun.password, "hash");
    try {
      for (const stored of [hash, null, null]) await passwords.verify("some guess", stored);
      const kinds = verify.mock.calls.map((call) => String(call[1]).split("$").slice(0, 4));
      const kind = hash.split("$").slice(0, 4);
      expect(kinds).toEqual([kind, kind, kind]);
      expect(makeHash).not.toHaveBeenCalled();
    } finally {
      verify.mockRestore();
      makeHash.mockRestore();
    }
  });

  test("takes turns, with a rest while others queue, and none where nobody does", async () => {
    const timers = createManualTimers();
    const passwords = createPasswords({ timers });
    await passwords.hash("nobody else is here");
    let done = 0;
    const storm = Array.from({ length: 3 }, () => passwords.hash("one of many").then(() => ++done));
    await storm[0];
    expect(done).toBe(1);
    while (done < 3) {
      timers.advance(1);
      await Promise.race([Promise.all(storm), Bun.sleep(0)]);
    }
  });

  test("sends away who comes when too many wait, and serves all who waited", async () => {
    const passwords = createPasswords({
      timers: withoutRest,
    });
    const asked = Array.from({ length: 60 }, () => passwords.verify("guess", null));
    const answers = await Promise.allSettled(asked);
    const refused = answers.filter(({ status }) => status === "rejected");
    expect(refused.length).toBeGreaterThan(0);
    for (const one of refused) {
      expect(one).toMatchObject({ reason: { code: "rate_limited" } });
    }
    // A hash that could not be made in the crowd is made later.
    expect(await passwords.verify("guess", null)).toBeFalse();
  });
});

describe("a password", () => {
  test.each([
    ["that is short", "short one", "characters"],
    ["that everybody tries", "passwordpassword", "guess"],
    ["of one letter", "aaaaaaaaaaaaaaaa", "guess"],
    ["made of the e-mail address", "ada.lovelace1815", "e-mail"],
    ["without end", "x".repeat(1025), "at most"],
  ])("%s is refused, and the sentence says why", (_, password, word) => {
    expect(findPasswordFault(password, { email: "ada.lovelace@example.com" })).toContain(word);
  });

  test("of a few words is good", () => {
    expect(findPasswordFault("correct horse battery", { email: "ada@example.com" })).toBeNull();
  });

  test("to be handed over is another one each time", () => {
    const made = new Set(Array.from({ length: 100 }, createOneTimePassword));
    expect(made.size).toBe(100);
    for (const one of made) expect(one).toMatch(/^([a-z2-9]{4}-){3}[a-z2-9]{4}$/);
  });
});
