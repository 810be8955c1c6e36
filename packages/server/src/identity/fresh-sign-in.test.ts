import { expect, test } from "bun:test";
import { createFreshSignIn, type FreshNeed } from "./fresh-sign-in.ts";

const now = 10_000_000;
const minuteMs = 60_000;

function open(freshSignIn = 0, freshDecisions = false) {
  const { check } = createFreshSignIn({ config: { freshSignIn, freshDecisions }, now: () => now });
  /** Whether a session that was proved so many minutes ago may go on. */
  return (need: FreshNeed, minutes: number) => {
    const actor = { via: "session", tokenId: null, freshAt: now - minutes * minuteMs } as const;
    try {
      check(actor, need);
      return true;
    } catch {
      return false;
    }
  };
}

test("Without settings, only changes of factors ask, after five minutes", () => {
  const may = open();
  expect([may("access", 1000), may("decisions", 1000)]).toEqual([true, true]);
  expect([may("factors", 4.9), may("factors", 5)]).toEqual([true, false]);
});

test("The settings ask for access and for decisions, after their minutes", () => {
  const may = open(10, true);
  for (const need of ["factors", "access", "decisions"] as const) {
    expect([need, may(need, 9.9), may(need, 10)]).toEqual([need, true, false]);
  }
  expect(open(10)("decisions", 1000)).toBe(true);
  expect(open(0, true)("decisions", 5)).toBe(false);
});

test("A proof from the future counts for a minute, for the clock of another server", () => {
  expect([open()("factors", -1), open()("factors", -2)]).toEqual([true, false]);
});

test("Tokens and chats cannot prove who sits there; the command line need not", () => {
  const { check } = createFreshSignIn({
    config: { freshSignIn: 5, freshDecisions: true },
    now: () => now,
  });
  const refusal = { code: "fresh_sign_in_required", detail: { address: "/auth/fresh" } };
  for (const actor of [
    { via: "token", tokenId: "t", freshAt: now },
    { via: "session", tokenId: "t", freshAt: now },
    { via: "session", tokenId: null },
    { via: "chat", tokenId: null },
    { via: "client", tokenId: null },
  ] as const) {
    expect(() => check(actor, "decisions")).toThrow(expect.objectContaining(refusal));
  }
  expect(() => check({ via: "command line", tokenId: null }, "decisions")).not.toThrow();
});
