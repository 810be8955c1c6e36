import { describe, expect, test } from "bun:test";
import { InvalidInputError } from "@hub/connector";
import { apiPath, toRepoPath, toSegments } from "./api-path.ts";

const toPath = (text: string) => apiPath`/x/${{ input: "sha", text }}`;

describe("A value in a path", () => {
  test.each([
    ["a?b#c", "a%3Fb%23c"],
    ["a b", "a%20b"],
    ["grüße-🌍", "gr%C3%BC%C3%9Fe-%F0%9F%8C%8D"],
    ["a/b", "a%2Fb"],
    ["100%", "100%25"],
    ["...", "..."],
    ["@evil.example", "%40evil.example"],
    ["x".repeat(10_000), "x".repeat(10_000)],
  ])("Value %# is escaped as one segment", (text, escaped) => {
    expect(toPath(text).escaped).toBe(`/x/${escaped}`);
  });

  test.each([
    "",
    ".",
    "..",
    "../../user",
    "a/../../b",
    "%2e%2e",
    "%252e%252e%252fuser",
    "a\\..\\b",
    "a\r\nX: 1",
    "a\u0000b",
    "\ud800",
    "%25252525252e",
  ])("The segment %p is refused, because a server behind a proxy could read it as another path", (text) => {
    expect(() => toPath(text)).toThrow(/^sha .*Nothing was sent\.$/s);
    expect(() => toPath(text)).toThrow(InvalidInputError);
  });

  test("The path of a file or branch keeps its slashes, and all other characters are escaped", () => {
    expect(apiPath`/contents/${toSegments("path", "a b/c?.md")}`.escaped).toBe(
      "/contents/a%20b/c%3F.md",
    );
    expect(() => apiPath`/contents/${toSegments("path", "a//b")}`).toThrow("empty");
    expect(() => apiPath`/contents/${toSegments("path", "a/../b")}`).toThrow('".."');
  });

  test("A number beyond 2^53 in a path keeps its digits", () => {
    expect(apiPath`/x/${9007199254740993n}`.escaped).toBe("/x/9007199254740993");
  });
});

test("owner/repo in one input is refused, and the error shows the two inputs", () => {
  expect(() => toRepoPath({ owner: "octocat", repo: "octocat/hello" })).toThrow("repo must be");
  expect(() => toRepoPath({ owner: "octocat/hello", repo: "hello" })).toThrow("owner must be");
});
