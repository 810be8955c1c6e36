import { describe, expect, test } from "bun:test";
import { createManualTimers } from "../../lib/time/manual-timers.ts";
import { createSessions, type SessionIdPolicy } from "./mcp-sessions.ts";

const dayMs = 24 * 60 * 60 * 1000;

function open(mode: SessionIdPolicy, perUserMax?: number) {
  const timers = createManualTimers();
  return { timers, sessions: createSessions({ mode, timers, ...(perUserMax && { perUserMax }) }) };
}

test("With several servers an adopted session keeps its id, and no other user can take it over", () => {
  const timers = createManualTimers();
  const sessions = createSessions({ mode: "adopt", keepsIds: true, timers });
  expect(sessions.enter("ben", "of-ada")).toEqual({ key: "of-ada", newId: null, client: null });
  expect(sessions.enter("ada", "of-ada")).toEqual({ key: "of-ada", newId: null, client: null });
  expect(sessions.end("ben", "of-ada")).not.toBeNull();
  expect(sessions.enter("ben", "of-ada")).toBeNull();
  expect(sessions.enter("ada", "of-ada")).not.toBeNull();
});

describe.each(["adopt", "strict"] as const)("with the policy %s", (mode) => {
  test("A session keeps its id", () => {
    const { sessions } = open(mode);
    const id = sessions.mint("ada");
    expect(sessions.enter("ada", id)).toEqual({ key: id, newId: null, client: null });
  });

  test("Session ids are distinct and visible ASCII", () => {
    const { sessions } = open(mode);
    const ids = [sessions.mint("ada"), sessions.mint("ada"), sessions.mint("ben")];
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[\x21-\x7e]+$/);
  });

  test("An ended session cannot be used again", () => {
    const { sessions } = open(mode);
    const id = sessions.mint("ada");
    expect(sessions.end("ada", id)).not.toBeNull();
    expect(sessions.enter("ada", id)).toBeNull();
    expect(sessions.end("ada", id)).toBeNull();
  });

  test("A user cannot enter or end another user's session", () => {
    const { sessions } = open(mode);
    const id = sessions.mint("ada");
    expect(sessions.enter("ben", id)).toBeNull();
    expect(sessions.end("ben", id)).toBeNull();
    expect(sessions.enter("ada", id)).not.toBeNull();
  });
});

describe("a session id of another process", () => {
  test("A foreign id is adopted under a new id, and both name one session", () => {
    const { sessions } = open("adopt");
    const first = sessions.enter("ada", "from-elsewhere");
    expect(first?.newId).toMatch(/^[\x21-\x7e]+$/);
    expect(sessions.enter("ada", "from-elsewhere")).toEqual(first);
    const fresh = first?.newId ?? "";
    expect(sessions.enter("ada", fresh)).toEqual({ key: fresh, newId: null, client: null });
  });

  test("Ending one id of an adopted session ends the other too", () => {
    const { sessions } = open("adopt");
    const fresh = sessions.enter("ada", "old")?.newId ?? "";
    sessions.end("ada", fresh);
    expect(sessions.enter("ada", "old")).toBeNull();
    expect(sessions.end("ada", "never-seen")).not.toBeNull();
    expect(sessions.enter("ada", "never-seen")).toBeNull();
  });

  test("A foreign id that one user has sent can still be adopted by another user", () => {
    const { sessions } = open("adopt");
    expect(sessions.enter("ben", "old")).not.toBeNull();
    expect(sessions.enter("ada", "old")).not.toBeNull();
  });

  test("A foreign id that no server could have issued is refused", () => {
    const { sessions } = open("adopt");
    expect(sessions.enter("ada", "")).toBeNull();
    expect(sessions.enter("ada", "with space")).toBeNull();
    expect(sessions.enter("ada", "ü")).toBeNull();
    expect(sessions.enter("ada", "x".repeat(129))).toBeNull();
  });

  test("A foreign id is refused with the policy strict", () => {
    const { sessions } = open("strict");
    expect(sessions.enter("ada", "from-elsewhere")).toBeNull();
    expect(sessions.end("ada", "from-elsewhere")).toBeNull();
  });
});

describe("session ids in memory", () => {
  test("Sessions are bounded per user: the longest unused one is dropped", () => {
    const { sessions } = open("strict", 2);
    const [first, second] = [sessions.mint("ada"), sessions.mint("ada")];
    sessions.enter("ada", first);
    const third = sessions.mint("ada");
    expect(sessions.enter("ada", second)).toBeNull();
    expect(sessions.enter("ada", first)).not.toBeNull();
    expect(sessions.enter("ada", third)).not.toBeNull();
  });

  test("One user cannot displace another user's sessions", () => {
    const { sessions } = open("strict", 2);
    const own = sessions.mint("ada");
    for (let count = 0; count < 10; count += 1) sessions.mint("ben");
    expect(sessions.enter("ada", own)).not.toBeNull();
  });

  test("A session is dropped after a day without use", () => {
    const { sessions, timers } = open("strict");
    const [used, unused] = [sessions.mint("ada"), sessions.mint("ada")];
    timers.advance(dayMs / 2);
    sessions.enter("ada", used);
    timers.advance(dayMs / 2 + 1);
    expect(sessions.enter("ada", used)).not.toBeNull();
    expect(sessions.enter("ada", unused)).toBeNull();
  });

  test("A session that was dropped for its age is adopted again", () => {
    const { sessions, timers } = open("adopt");
    const id = sessions.mint("ada");
    timers.advance(dayMs + 1);
    expect(sessions.enter("ada", id)?.newId).toEqual(expect.any(String));
  });

  test("Nothing is kept of the sessions of a user who has gone for a day", () => {
    const { sessions, timers } = open("adopt");
    const id = sessions.mint("ada");
    timers.advance(dayMs + 1);
    expect(sessions.enter("ben", id)).toBeNull();
    // The first request of anyone after that day has dropped it.
    sessions.mint("ben");
    expect(sessions.enter("ben", id)?.newId).toEqual(expect.any(String));
  });
});
