/** Protects: a sign-in link never redirects to another site (open redirect). */
import { describe, expect, test } from "bun:test";
import { homePath, toDestination } from "./destination.ts";

const long = `/${"a".repeat(2000)}`;

test.each([
  "//evil.example",
  "//evil.example/profile",
  "///evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "/.//evil.example",
  "/..//evil.example",
  "/a/..//evil.example",
  "/%2e%2e//evil.example",
  "/.%2e//evil.example",
  "/\t/evil.example",
  "/\n/evil.example",
  "/\r\nLocation: https://evil.example",
  " //evil.example",
  "https://evil.example",
  "https:evil.example",
  "http://localhost:7420.evil.example/",
  "//user@evil.example",
  "javascript:alert(1)",
  "data:text/html,x",
  "profile",
  "?next=/",
  "#",
  "",
  "/ü",
  "/\u0000",
  "/\u2028/evil.example",
  long,
])("The destination %j becomes the home page", (given) => {
  expect(toDestination(given)).toBe(homePath);
});

test.each([
  ["/", "/"],
  ["/profile/tokens", "/profile/tokens"],
  ["/oauth/authorize?client_id=a&redirect_uri=http%3A%2F%2Flocalhost%2Fcb", "the same"],
  ["/oauth/authorize?redirect_uri=https://client.example//cb", "the same"],
  ["/a/../profile", "/profile"],
  ["/profile#part", "/profile"],
])("The destination %s is a page of this hub", (given, expected) => {
  expect(toDestination(given)).toBe(expected === "the same" ? given : expected);
});

describe("destinations as browsers resolve them", () => {
  test("Every destination resolves to an address of this hub, also with parts that confuse browsers", () => {
    const parts = [
      "/",
      "\\",
      ".",
      "..",
      "%2e",
      "%2f",
      "%5c",
      "evil.example",
      "@",
      ":",
      "?",
      "#",
      "\t",
    ];
    for (let number = 0; number < parts.length ** 4; number += 1) {
      const digit = (power: number) =>
        parts[Math.floor(number / parts.length ** power) % parts.length];
      const given = `/${digit(0)}${digit(1)}${digit(2)}${digit(3)}evil.example`;
      const { origin } = new URL(toDestination(given), "https://hub.example");
      if (origin !== "https://hub.example") throw new Error(`${given} leads to ${origin}`);
    }
  });
});
