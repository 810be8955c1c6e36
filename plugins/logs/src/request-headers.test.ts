/** Protects: the login is masked in every form in which it is sent, because a host may echo it. */
import { expect, test } from "bun:test";
import type { RowConfig } from "./logs-config-fields.ts";
import { toRequestHeaders } from "./request-headers.ts";

function toHeaders(config: RowConfig, identity: Parameters<typeof toRequestHeaders>[1] = "login") {
  const masked: string[] = [];
  const fetch = () => Promise.reject(new Error("These tests send no requests."));
  const headers = toRequestHeaders(
    { config, fetch, mask: (value) => masked.push(value) },
    identity,
  );
  return { headers, masked };
}

test("User name and password are masked separately and as encoded Basic credentials", () => {
  const { headers, masked } = toHeaders({
    AuthMode: "basic",
    Username: "ada",
    Password: "pässword",
  });
  const credentials = Buffer.from("ada:pässword").toString("base64");
  expect(headers.authorization).toBe(`Basic ${credentials}`);
  expect(masked).toEqual([credentials]);
});

test("A token that was saved with a line break is sent and masked without it", () => {
  const { headers, masked } = toHeaders({ AuthMode: "token", Token: " glsa_token\n" });
  expect(headers.authorization).toBe("Bearer glsa_token");
  expect(masked).toEqual(["glsa_token"]);
  expect(toHeaders({ AuthMode: "token", Token: "glsa_token" }).masked).toEqual([]);
});

test("A request without identity has no login, and a request with only the login no organisation", () => {
  const config = { AuthMode: "token", Token: "glsa_token", OrgID: 7 } as const;
  expect(toHeaders(config, "none").headers).toEqual({
    accept: "application/json",
    "user-agent": "hub-logs",
  });
  expect(Object.keys(toHeaders(config, "login").headers).sort()).toEqual([
    ...["accept", "authorization", "user-agent"],
  ]);
  expect(toHeaders(config, "login-and-org").headers).toMatchObject({
    "x-dashboard-org-id": "7",
    "x-grafana-org-id": "7",
  });
});

test.each<[string, RowConfig]>([
  ["token is not set", { AuthMode: "token" }],
  ["token contains invalid characters", { AuthMode: "token", Token: "two words" }],
  ["username is not set", { AuthMode: "basic", Password: "p" }],
  ["password is not set", { AuthMode: "basic", Username: "ada" }],
  ["username contains a colon", { AuthMode: "basic", Username: "a:b", Password: "p" }],
])("A row is refused before a request is sent if its %s", (problem, config) => {
  expect(() => toHeaders(config)).toThrow(problem);
});
