/** Protects: errors of the same kind are one group, and no message costs more than its length. */
import { describe, expect, test } from "bun:test";
import { amount } from "../../lib/testing/amount.ts";
import { readErrorPattern } from "./error-pattern.ts";

const id = "0198c0de-7a3b-7c1e-8f00-2b7d5a1e9c44";

describe("the pattern of an error message", () => {
  test.each([
    ["The server answered 503 after 1.25 s.", "The server answered … after … s."],
    ["Order 17 was not found", "Order … was not found"],
    [`There is no call "${id}".`, "There is no call …."],
    [`Request ${id} failed`, "Request … failed"],
    ["Item order17 of deadbeef42", "Item order… of …"],
    ["Host 10.0.0.1:8080 refused", "Host … refused"],
    ["It doesn't know 'a' and isn't “b”", "It doesn't know … and isn't …"],
    ["Token hub_enc_AbCd123456789 is invalid", "Token … is invalid"],
    ['An unclosed " stays', 'An unclosed " stays'],
    ["", ""],
  ])("Of %j it is %j", (message, pattern) => {
    expect(readErrorPattern(message).pattern).toBe(pattern);
  });

  test("The longest part that all messages of a group share is contained in each of them", () => {
    const messages = ["Order 17 was not found", "Order 4711 was not found"];
    for (const message of messages) {
      const { shared } = readErrorPattern(message);
      expect(shared).toBe("was not found");
      expect(message).toContain(shared ?? "");
    }
    expect(readErrorPattern("1 2 3").shared).toBeNull();
    expect(readErrorPattern("x".repeat(500)).shared).toHaveLength(100);
  });

  test.each([
    ["quotes", '"'.repeat(300)],
    ["openings", "“".repeat(300)],
    ["apostrophes", " '".repeat(150)],
    ["hyphens", "a-".repeat(150)],
    ["digits", "1a".repeat(150)],
    ["marks of direction", "\u202e\u2066".repeat(150)],
    ["halves of characters", "\ud83d".repeat(300)],
    ["fake tokens", "hub_enc_".repeat(37)],
  ])("Thousands of messages of %s take a fraction of a millisecond each", (_, message) => {
    const before = process.cpuUsage();
    const messages = amount(2_000, 10_000);
    for (let at = 0; at < messages; at += 1) readErrorPattern(message);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(messages * 0.15);
  });
});
