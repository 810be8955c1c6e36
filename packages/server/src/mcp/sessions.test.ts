import { describe, expect, test } from "bun:test";
import { createManualTimers } from "../lib/manual-timers.ts";
import { createSessions, type SessionIdPolicy } from "./sessions.ts";

const dayMs = 24 * 60 * 60 * 1000;

function open(mode: SessionIdPolicy, perUserMax?: number) {
  const timers = createManualTimers();
  return { timers, sessions: createSessions({ mode, timers, ...(perUserMax && { perUserMax }) }) };
}

describe.each(["adopt", "strict"] as const)("in mode %s", (mode) => {
  test("a session goes on under its id, without a fresh one", () => {
    const { sessions } = open(mode);
    const id = sessions.mint("ada");
    expect(sessions.enter("ada", id)).toEqual({ key: id, freshId: null });
  });

  test("ids are distinct and visible ASCII", () => {
    const { sessions } = open(mode);
    const ids = [sessions.mint("ada"), sessions.mint("ada"), sessions.mint("ben")];
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[\x21-\x7e]+$/);
  });

  test("an ended session is over for good", () => {
    const { sessions } = open(mode);
    const id = sessions.mint("ada");
    expect(sessions.end("ada", id)).toBe(true);
    expect(sessions.enter("ada", id)).toBeNull();
    expect(sessions.end("ada", id)).toBe(false);
  });

  test("another user's session is out of reach, and stays its owner's", () => {
    const { sessions } = open(mode);
    const id = sessions.mint("ada");
    expect(sessions.enter("ben", id)).toBeNull();
    expect(sessions.end("ben", id)).toBe(false);
    expect(sessions.enter("ada", id)).not.toBeNull();
  });
});

describe("an id of another process", () => {
  test("is adopted under a fresh id, and both mean one session", () => {
    const { sessions } = open("adopt");
    const first = sessions.enter("ada", "from-elsewhere");
    expect(first?.freshId).toMatch(/^[\x21-\x7e]+$/);
    expect(sessions.enter("ada", "from-elsewhere")).toEqual(first);
    const fresh = first?.freshId ?? "";
    expect(sessions.enter("ada", fresh)).toEqual({ key: fresh, freshId: null });
  });

  test("ends with its fresh id, and the other way round", () => {
    const { sessions } = open("adopt");
    const fresh = sessions.enter("ada", "old")?.freshId ?? "";
    sessions.end("ada", fresh);
    expect(sessions.enter("ada", "old")).toBeNull();
    expect(sessions.end("ada", "never-seen")).toBe(true);
    expect(sessions.enter("ada", "never-seen")).toBeNull();
  });

  test("does not become one user's because another tried it first", () => {
    const { sessions } = open("adopt");
    expect(sessions.enter("ben", "old")).not.toBeNull();
    expect(sessions.enter("ada", "old")).not.toBeNull();
  });

  test("is refused where no server could have handed it out", () => {
    const { sessions } = open("adopt");
    expect(sessions.enter("ada", "")).toBeNull();
    expect(sessions.enter("ada", "with space")).toBeNull();
    expect(sessions.enter("ada", "ü")).toBeNull();
    expect(sessions.enter("ada", "x".repeat(129))).toBeNull();
  });

  test("is refused in strict mode", () => {
    const { sessions } = open("strict");
    expect(sessions.enter("ada", "from-elsewhere")).toBeNull();
    expect(sessions.end("ada", "from-elsewhere")).toBe(false);
  });
});

describe("what is kept in memory", () => {
  test("is bounded per user: the longest unused session gives way", () => {
    const { sessions } = open("strict", 2);
    const [first, second] = [sessions.mint("ada"), sessions.mint("ada")];
    sessions.enter("ada", first);
    const third = sessions.mint("ada");
    expect(sessions.enter("ada", second)).toBeNull();
    expect(sessions.enter("ada", first)).not.toBeNull();
    expect(sessions.enter("ada", third)).not.toBeNull();
  });

  test("cannot be crowded out by another user", () => {
    const { sessions } = open("strict", 2);
    const own = sessions.mint("ada");
    for (let count = 0; count < 10; count += 1) sessions.mint("ben");
    expect(sessions.enter("ada", own)).not.toBeNull();
  });

  test("is forgotten after a day without use", () => {
    const { sessions, timers } = open("strict");
    const [used, unused] = [sessions.mint("ada"), sessions.mint("ada")];
    timers.advance(dayMs / 2);
    sessions.enter("ada", used);
    timers.advance(dayMs / 2 + 1);
    expect(sessions.enter("ada", used)).not.toBeNull();
    expect(sessions.enter("ada", unused)).toBeNull();
  });

  test("a session forgotten for its age is adopted again", () => {
    const { sessions, timers } = open("adopt");
    const id = sessions.mint("ada");
    timers.advance(dayMs + 1);
    expect(sessions.enter("ada", id)?.freshId).toEqual(expect.any(String));
  });
});
