/**
 * Protects: when a check cannot read the database, the API refuses the request (trap 11). Every route
 * is requested while a table that its checks read is missing.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ApiRoute, apiRoutes } from "@hub/server/http/api/api-routes.ts";
import { runSql } from "@hub/server/store/testing/run-sql.ts";
import { type ApiHub, openApiHub } from "./open-api-hub.ts";

type TestUser = Awaited<ReturnType<ApiHub["addUser"]>>;

let hub: ApiHub;
let ada: TestUser;
let admin: TestUser;
let row: string;
beforeAll(async () => {
  hub = await openApiHub();
  ada = await hub.addUser("ada@example.com", { tags: ["red"] });
  admin = await hub.addUser("root@example.com", { admin: true });
  row = (await hub.addRow("Row", ["red"])).id;
});
afterAll(() => hub[Symbol.asyncDispose]());

async function withTableMissing(table: string, run: () => Promise<void>): Promise<void> {
  const { db } = hub.store;
  await runSql(db, `alter table ${table} rename to ${table}_renamed`);
  try {
    await run();
  } finally {
    await runSql(db, `alter table ${table}_renamed rename to ${table}`);
  }
}

const toPath = ({ path }: ApiRoute) => path.replace("{row}", row).replaceAll(/\{\w+\}/g, row);
const request = async (who: TestUser, method: string, path: string) => {
  const { status, body } = await hub.request(method, path, who);
  return [method, path, status, body.code];
};

test.each([
  "users",
  "user_tags",
  "personal_access_tokens",
])("Every route refuses every caller while %s cannot be read", async (table) => {
  await withTableMissing(table, async () => {
    for (const route of apiRoutes) {
      const path = toPath(route);
      for (const who of [ada, admin]) {
        expect(await request(who, route.method, path)).toEqual([
          route.method,
          path,
          500,
          "internal",
        ]);
      }
    }
  });
  expect((await hub.request("GET", "/profile/api/me", ada)).status).toBe(200);
});

test.each([
  // The list of rows comes from memory, as for calls, and is read again after each change.
  ["row_tags", ["rows/ROW", "rows/ROW/runs", "rows/ROW/runs/export", "connectors"]],
  ["connector_rows", ["rows/ROW", "rows/ROW/runs", "connectors", "connectors/fixture"]],
  ["type_states", ["rows/ROW", "connectors"]],
])("Routes that depend on %s fail while it cannot be read", async (table, paths) => {
  await withTableMissing(table, async () => {
    for (const one of paths) {
      const path = `/manager/api/${one.replace("ROW", row)}`;
      expect(await request(ada, "GET", path)).toEqual(["GET", path, 500, "internal"]);
    }
  });
  expect((await hub.request("GET", `/manager/api/rows/${row}`, ada)).status).toBe(200);
});
