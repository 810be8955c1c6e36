import { expect, test } from "bun:test";
import { apiRoutes } from "./api-routes.ts";
import { findFreshNeed } from "./fresh-routes.ts";

test("Changes of who has access ask for a fresh sign-in; reading them and ending access do not", () => {
  const asking = apiRoutes
    .filter((route) => findFreshNeed(route) === "access")
    .map(({ method, path }) => `${method} ${path}`);
  expect(asking).toEqual(
    expect.arrayContaining([
      "POST /admin/api/users/{user}/one-time-password",
      "POST /profile/api/tokens",
      "POST /profile/api/tokens/{token}/rotate",
    ]),
  );
  expect(asking.filter((route) => /^GET|\/(revoke|end)$/.test(route))).toEqual([]);
  // Of the parts of access that are not here, too.
  const need = (method: "PUT" | "POST", path: string) => findFreshNeed({ method, path });
  expect(need("PUT", "/admin/api/groups")).toBe("access");
  expect(need("POST", "/admin/api/scim-clients")).toBe("access");
  expect(need("PUT", "/admin/api/secret-sources/{source}")).toBe("access");
  expect(need("POST", "/admin/api/service-users/{user}/tokens")).toBe("access");
  expect(need("POST", "/manager/api/rows")).toBeNull();
});
