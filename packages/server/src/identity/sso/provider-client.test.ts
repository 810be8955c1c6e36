import { expect, test } from "bun:test";
import { openTestIssuer, type TestIssuer } from "../testing/open-test-issuer.ts";
import { createProviderClient } from "./provider-client.ts";

/** The claims of ID tokens of Keycloak 26.7.0, as recorded, less the person's. */
const keycloakClaims = {
  typ: "ID",
  azp: "hub",
  sid: "8AUKwEw5cUzW7BwuYI5pc8lH",
  at_hash: "OdC98vi2gu8ibFZWbywqrA",
  acr: "1",
  name: "Ada L",
  preferred_username: "ada",
};

function open(host: TestIssuer, groupsClaim: string | null = "groups") {
  const settings = { issuer: host.issuer, clientId: "hub", readClientSecret: () => "s3cret" };
  return createProviderClient({ settings, groupsClaim, now: Date.now });
}

async function refresh(host: TestIssuer, groupsClaim?: string | null) {
  const refreshed = await open(host, groupsClaim).refresh("s1", "first");
  if (refreshed.kind !== "confirmed") return refreshed;
  return {
    kind: refreshed.kind,
    next: refreshed.readRefreshToken?.() ?? null,
    groups: await refreshed.readGroups(),
  };
}

test.each([
  ["whole paths", { groups: ["/eng/backend"] }, { names: ["/eng/backend"], leftOut: 0 }],
  ["names", { groups: ["backend"] }, { names: ["backend"], leftOut: 0 }],
  ["no group, which Keycloak leaves out", {}, { names: null, problem: "missing" }],
  [
    "the overage of Entra",
    { _claim_names: { groups: "src1" }, _claim_sources: { src1: { endpoint: "https://g" } } },
    { names: null, problem: "overage" },
  ],
])("A refresh brings %s", async (_, claims, groups) => {
  using host = openTestIssuer();
  host.answerWith({ ...keycloakClaims, ...claims });
  host.answerMore({ refresh_token: "second", scope: "openid offline_access email profile" });
  expect(await refresh(host)).toEqual({ kind: "confirmed", next: "second", groups } as never);
});

test("A refresh token that stays the same is not stored again", async () => {
  using host = openTestIssuer();
  host.answerWith({ groups: [] });
  for (const more of [{}, { refresh_token: "first" }]) {
    host.answerMore(more);
    expect(await refresh(host)).toMatchObject({ next: null });
  }
});

test("Groups that the ID token lacks are asked for at /userinfo, and its failure is not no groups", async () => {
  using host = openTestIssuer();
  host.answerUserInfo({ sub: "s1", groups: ["eng"] });
  expect(await refresh(host)).toMatchObject({ groups: { names: ["eng"] } });
  host.answerUserInfo({ sub: "s1" });
  expect(await refresh(host)).toMatchObject({ groups: { names: null, problem: "missing" } });
  for (const [claims, status] of [
    [{ sub: "s1" }, 500],
    [{ sub: "s2", groups: ["root"] }, 200],
  ] as const) {
    host.answerUserInfo(claims, status);
    expect(await refresh(host)).toMatchObject({ groups: { names: null, problem: "failed" } });
  }
  expect(await refresh(host, null)).toMatchObject({ groups: null });
});

test("An answer without any claims says nothing of the groups", async () => {
  using host = openTestIssuer();
  host.answerMore({ id_token: undefined });
  expect(await refresh(host)).toMatchObject({ kind: "confirmed", groups: null });
  host.answerUserInfo({ sub: "s1" });
  expect(await refresh(host)).toMatchObject({ groups: { names: null, problem: "missing" } });
});

test("An ID token of another person is no answer", async () => {
  using host = openTestIssuer();
  host.answerWith({ sub: "s2", groups: ["root"] });
  expect(await refresh(host)).toMatchObject({ kind: "failed" });
});

test.each([
  "User disabled",
  "Session not active",
  "Stale token",
  "Offline user session not found",
])("Keycloak's invalid_grant, %s, ends the session", async (description) => {
  using host = openTestIssuer();
  host.answerMore({ error: "invalid_grant", error_description: description }, 400);
  expect(await refresh(host)).toEqual({ kind: "ended", reason: description });
});

test.each([
  ["invalid_client", 401],
  ["unauthorized_client", 400],
  ["temporarily_unavailable", 503],
] as const)("The error %s says nothing of the user", async (error, status) => {
  using host = openTestIssuer();
  host.answerMore({ error }, status);
  expect(await refresh(host)).toMatchObject({ kind: "failed" });
});

test("A provider that cannot be reached says nothing of the user", async () => {
  const settings = { issuer: "http://127.0.0.1:1", clientId: "hub", readClientSecret: () => null };
  const client = createProviderClient({ settings, groupsClaim: "groups", now: Date.now });
  expect(await client.refresh("s1", "first")).toMatchObject({ kind: "failed" });
});
