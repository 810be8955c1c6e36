import { expect, test } from "bun:test";
import { apiRoutes } from "./api-routes.ts";
import { findFreshNeed } from "./fresh-routes.ts";

const toName = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

test("Changes of who has access ask for a fresh sign-in; reading them and ending access do not", () => {
  const asking = apiRoutes.filter((route) => findFreshNeed(route) === "access").map(toName);
  expect(asking).toEqual(
    expect.arrayContaining([
      "POST /admin/api/users",
      "POST /admin/api/users/{user}/enable",
      "POST /admin/api/users/{user}/one-time-password",
      "PUT /admin/api/users/{user}/scim-client",
      "PUT /admin/api/groups",
      "POST /admin/api/scim-clients",
      "POST /admin/api/service-users",
      "PATCH /admin/api/service-users/{user}",
      "POST /admin/api/service-users/{user}/tokens",
      "POST /admin/api/machine-clients",
      "POST /admin/api/trusted-issuers",
      "PUT /admin/api/secret-sources/{source}",
      "POST /admin/api/secret-references",
      "PUT /manager/api/rows/{row}/secrets/{field}/reference",
      "POST /profile/api/tokens",
      "POST /profile/api/tokens/{token}/rotate",
      "POST /profile/api/chat-accounts/links/{link}/confirm",
    ]),
  );
  expect(asking.filter((route) => /^GET|\/(revoke|end|disable)$/.test(route))).toEqual([]);
  const others = apiRoutes.map(toName).filter((route) => !asking.includes(route));
  expect(others).toContain("POST /manager/api/rows");
});

test("Changes of the rules that ask for decisions need a sign-in as fresh as decisions", () => {
  const deciding = apiRoutes.filter((route) => findFreshNeed(route) === "decisions").map(toName);
  expect(deciding).toEqual([
    "PUT /manager/api/rows/{row}/rules",
    "DELETE /manager/api/rows/{row}/rules/{rule}",
  ]);
});

const inService = "Its service asks, which pages and chats use too.";
const ends = "It only takes something away, which must not wait.";
const account =
  "It chooses the account in which the user's own calls work. No person or program gets access.";
const rows = "It makes rows, as `POST /manager/api/rows`. Who sees them is decided by tags.";

/** Routes that need a browser and that nothing asks at before their endpoint. */
const exceptions: Record<string, string> = {
  "POST /manager/api/imports/plan": "It changes nothing.",
  "POST /manager/api/imports": rows,
  "POST /manager/api/accounts": account,
  "POST /manager/api/accounts/sign-in": account,
  "PATCH /manager/api/accounts/{account}": account,
  "POST /manager/api/rows/{row}/connect": "The user signs in at the authorization server.",
  "POST /manager/api/approvals/{approval}/decide": inService,
  "POST /manager/api/pending-calls/{call}/decision": inService,
  "PUT /manager/api/pending-calls/{call}/deputy": inService,
  "DELETE /admin/api/users/{user}/factors": inService,
  "DELETE /profile/api/factors/{factor}": inService,
  "POST /admin/api/secret-references/{reference}/refresh": "It reads again what was allowed.",
  "POST /profile/api/chat-accounts/links": "It links nothing before `confirm`, which asks.",
  "DELETE /profile/api/chat-accounts/links/{link}": ends,
  "DELETE /profile/api/chat-accounts/{account}": ends,
};

test("Every change that needs a browser asks for a fresh sign-in, or is an exception with a reason", () => {
  const silent = apiRoutes
    .filter(({ method, guard }) => method !== "GET" && guard.name.endsWith("with a browser"))
    .filter((route) => findFreshNeed(route) === null)
    .map(toName);
  expect(silent.toSorted()).toEqual(Object.keys(exceptions).toSorted());
});
