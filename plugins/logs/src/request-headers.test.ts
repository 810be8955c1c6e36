/** Protects: what a host may echo of its caller's login is masked in the form in which it was sent. */
import { expect, test } from "bun:test";
import type { RowConfig } from "./config-fields.ts";
import { toRequestHeaders } from "./request-headers.ts";

function ask(config: RowConfig, identity: Parameters<typeof toRequestHeaders>[1] = "login") {
  const masked: string[] = [];
  const fetch = () => Promise.reject(new Error("No request is made here."));
  const headers = toRequestHeaders(
    { config, fetch, mask: (value) => masked.push(value) },
    identity,
  );
  return { headers, masked };
}

test("user name and password are masked separately and as encoded Basic credentials", () => {
  const { headers, masked } = ask({ AuthMode: "basic", Username: "ada", Password: "pässword" });
  const credentials = Buffer.from("ada:pässword").toString("base64");
  expect(headers.authorization).toBe(`Basic ${credentials}`);
  expect(masked).toEqual([credentials]);
});

test("a token that was saved with a line break is sent and masked without it", () => {
  const { headers, masked } = ask({ AuthMode: "token", Token: " glsa_token\n" });
  expect(headers.authorization).toBe("Bearer glsa_token");
  expect(masked).toEqual(["glsa_token"]);
  expect(ask({ AuthMode: "token", Token: "glsa_token" }).masked).toEqual([]);
});

test("a request without identity has no login, and a request with only the login no organisation", () => {
  const config = { AuthMode: "token", Token: "glsa_token", OrgID: 7 } as const;
  expect(ask(config, "none").headers).toEqual({
    accept: "application/json",
    "user-agent": "hub-logs",
  });
  expect(Object.keys(ask(config, "login").headers).sort()).toEqual([
    ...["accept", "authorization", "user-agent"],
  ]);
  expect(ask(config, "login-and-org").headers).toMatchObject({
    ...{ "x-dashboard-org-id": "7", "x-grafana-org-id": "7" },
  });
});

test.each<[string, RowConfig]>([
  ["token is not set", { AuthMode: "token" }],
  ["token contains invalid characters", { AuthMode: "token", Token: "two words" }],
  ["username is not set", { AuthMode: "basic", Password: "p" }],
  ["password is not set", { AuthMode: "basic", Username: "ada" }],
  ["username holds a colon", { AuthMode: "basic", Username: "a:b", Password: "p" }],
])("a login of which the %s is refused before anything is sent", (problem, config) => {
  expect(() => ask(config)).toThrow(problem);
});
