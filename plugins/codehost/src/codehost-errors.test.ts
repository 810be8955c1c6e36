import { describe, expect, test } from "bun:test";
import { toJsonText, type UpstreamError } from "@hub/connector";
import { toHostError } from "./codehost-errors.ts";

function toError(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): UpstreamError {
  const text = typeof body === "string" ? body : toJsonText(body);
  return toHostError(new Response(null, { status, headers }), text, ["ghp_0123456789"]);
}

describe("A rate limit", () => {
  test("The error for a used-up rate limit says when it ends, in UTC", () => {
    const headers = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1795262400" };
    const text = toError(403, { message: "API rate limit exceeded" }, headers).message;
    expect(text).toContain("rate limit is used up");
    expect(text).toContain("2026-11-21T12:00:00Z");
  });

  test("The error for a secondary rate limit says how long to wait, by the host's clock", () => {
    const headers = { "retry-after": "60", date: "Sat, 21 Nov 2026 12:00:00 GMT" };
    const message = "You have exceeded a secondary rate limit.";
    expect(toError(403, { message }, headers).message).toContain("60 s, at 2026-11-21T12:01:00Z");
    expect(toError(429, { message }).message).toContain("at least 60 s");
  });

  test("An ordinary 403 is not reported as a rate limit", () => {
    const headers = { "x-ratelimit-remaining": "4999", "x-ratelimit-reset": "1795262400" };
    expect(toError(403, { message: "Forbidden" }, headers).message).not.toContain("rate limit");
  });
});

describe("Missing permissions of the token", () => {
  test("The error names a missing scope", () => {
    const headers = { "x-accepted-oauth-scopes": "repo, admin:org", "x-oauth-scopes": "gist" };
    const text = toError(403, { message: "Forbidden" }, headers).message;
    expect(text).toContain("needs repo or admin:org, and the token has gist");
  });

  test("A 404 for a token without scopes names the missing scope", () => {
    const headers = { "x-accepted-oauth-scopes": "repo", "x-oauth-scopes": "" };
    expect(toError(404, { message: "Not Found" }, headers).message).toContain("has no scope");
  });

  test("The error names no scope if the token has one of the accepted scopes", () => {
    const headers = { "x-accepted-oauth-scopes": "repo", "x-oauth-scopes": "repo, gist" };
    expect(toError(403, { message: "Forbidden" }, headers).message).not.toContain("lacks a scope");
  });

  test("The error names a missing permission of a fine-grained token", () => {
    const headers = {
      "x-accepted-github-permissions": "issues=write,metadata=read; contents=read",
    };
    const text = toError(403, { message: "Resource not accessible" }, headers).message;
    expect(text).toContain("issues: write with metadata: read, or contents: read");
  });

  test("The error names an organization's single sign-on with its URL", () => {
    const headers = { "x-github-sso": "required; url=https://github.com/orgs/o/sso?x=1" };
    expect(toError(403, {}, headers).message).toContain("https://github.com/orgs/o/sso?x=1");
  });
});

test("The message for a 422 lists each error", () => {
  const body = {
    message: "Validation Failed",
    errors: [
      { resource: "Issue", field: "title", code: "missing_field" },
      { resource: "PullRequest", code: "custom", message: "No commits between main and a" },
      "plain text",
    ],
  };
  const refused = toError(422, body);
  expect(refused.message).toContain(
    "Validation Failed (Issue title is missing, No commits between main and a, plain text).",
  );
  expect(refused.httpStatus).toBe(422);
});

test("The message for a 404 says that the token may have no access", () => {
  expect(toError(404, { message: "Not Found" }).message).toContain("has no access to it");
});

test("The message for a redirected change names full_name", () => {
  expect(toError(307, { message: "Moved" }).message).toContain("full_name");
});

test("An error without JSON, or with unexpected JSON, is reported with its status", () => {
  for (const body of ["<html>", "", "null", [], { message: 7, errors: 7 }]) {
    expect(toError(502, body).message).toBe("The code host answered 502. Try again later.");
  }
});

test("A cut does not split an echoed token, because masking would not find half of it", () => {
  const hostMessage = `${"x".repeat(990)} Bearer ghp_0123456789 is not valid`;
  expect(toError(422, { message: hostMessage }).message).toContain(`${"x".repeat(990)} Bearer.`);
});

test("A very long message of the host is cut", () => {
  expect(toError(422, { message: "x".repeat(100_000) }).message.length).toBeLessThan(1200);
});
