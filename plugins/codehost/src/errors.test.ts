import { describe, expect, test } from "bun:test";
import { toJsonText, type UpstreamError } from "@hub/connector";
import { toHostError } from "./errors.ts";

function tell(status: number, body: unknown, headers: Record<string, string> = {}): UpstreamError {
  const text = typeof body === "string" ? body : toJsonText(body);
  return toHostError(new Response(null, { status, headers }), text, ["ghp_0123456789"]);
}

describe("a rate limit", () => {
  test("that is used up says when it is over, in UTC", () => {
    const headers = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1795262400" };
    const told = tell(403, { message: "API rate limit exceeded" }, headers).message;
    expect(told).toContain("rate limit is used up");
    expect(told).toContain("2026-11-21T12:00:00Z");
  });

  test("of many calls at once says how long to wait, by the host's own clock", () => {
    const headers = { "retry-after": "60", date: "Sat, 21 Nov 2026 12:00:00 GMT" };
    const message = "You have exceeded a secondary rate limit.";
    expect(tell(403, { message }, headers).message).toContain("60 s, at 2026-11-21T12:01:00Z");
    expect(tell(429, { message }).message).toContain("at least 60 s");
  });

  test("is not what an ordinary refusal is taken for", () => {
    const headers = { "x-ratelimit-remaining": "4999", "x-ratelimit-reset": "1795262400" };
    expect(tell(403, { message: "Forbidden" }, headers).message).not.toContain("rate limit");
  });
});

describe("what a token lacks is named:", () => {
  test("a scope", () => {
    const headers = { "x-accepted-oauth-scopes": "repo, admin:org", "x-oauth-scopes": "gist" };
    const told = tell(403, { message: "Forbidden" }, headers).message;
    expect(told).toContain("needs repo or admin:org, and the token has gist");
  });

  test("a scope that hides what is there behind a 404", () => {
    const headers = { "x-accepted-oauth-scopes": "repo", "x-oauth-scopes": "" };
    expect(tell(404, { message: "Not Found" }, headers).message).toContain("has no scope");
  });

  test("no scope where the token has one of them", () => {
    const headers = { "x-accepted-oauth-scopes": "repo", "x-oauth-scopes": "repo, gist" };
    expect(tell(403, { message: "Forbidden" }, headers).message).not.toContain("lacks a scope");
  });

  test("a permission of a fine-grained token", () => {
    const headers = {
      "x-accepted-github-permissions": "issues=write,metadata=read; contents=read",
    };
    const told = tell(403, { message: "Resource not accessible" }, headers).message;
    expect(told).toContain("issues: write with metadata: read, or contents: read");
  });

  test("an organization's sign-on", () => {
    const headers = { "x-github-sso": "required; url=https://github.com/orgs/o/sso?x=1" };
    expect(tell(403, {}, headers).message).toContain("https://github.com/orgs/o/sso?x=1");
  });
});

test("each error of a 422 is spelled out", () => {
  const body = {
    message: "Validation Failed",
    errors: [
      { resource: "Issue", field: "title", code: "missing_field" },
      { resource: "PullRequest", code: "custom", message: "No commits between main and a" },
      "plain words",
    ],
  };
  const refused = tell(422, body);
  expect(refused.message).toContain(
    "Validation Failed (Issue title is missing, No commits between main and a, plain words).",
  );
  expect(refused.httpStatus).toBe(422);
});

test("a 404 says that it may be a lack of access", () => {
  expect(tell(404, { message: "Not Found" }).message).toContain("has no access to it");
});

test("a change is not followed to where a renamed repository went", () => {
  expect(tell(307, { message: "Moved" }).message).toContain("full_name");
});

test("an error without JSON, or with strange JSON, is told by its status", () => {
  for (const body of ["<html>", "", "null", [], { message: 7, errors: 7 }]) {
    expect(tell(502, body).message).toBe("The code host answered 502. Try again later.");
  }
});

test("a token that the host echoes is not cut in half, where no mask would find it", () => {
  const said = `${"x".repeat(990)} Bearer ghp_0123456789 is not valid`;
  expect(tell(422, { message: said }).message).toContain(`${"x".repeat(990)} Bearer.`);
});

test("a host that talks without end is cut short", () => {
  expect(tell(422, { message: "x".repeat(100_000) }).message.length).toBeLessThan(1200);
});
