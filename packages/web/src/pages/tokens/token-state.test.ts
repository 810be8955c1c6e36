import { expect, test } from "bun:test";
import { findTokenState } from "./token-state.ts";

test("A token is active until it expires or is revoked", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  const past = "2025-12-31T00:00:00Z";
  const future = "2026-01-02T00:00:00Z";
  expect(findTokenState({ revoked_at: null, expires_at: null }, now)).toBe("active");
  expect(findTokenState({ revoked_at: null, expires_at: future }, now)).toBe("active");
  expect(findTokenState({ revoked_at: null, expires_at: past }, now)).toBe("expired");
  expect(findTokenState({ revoked_at: past, expires_at: past }, now)).toBe("revoked");
});
