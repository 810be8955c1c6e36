/**
 * Protects: when the database errs, no route of the API answers as if it had checked (trap 11). Every
 * route is asked while a table that its checks read is away.
 */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type ApiRoute, apiRoutes } from "@hub/server/http/api/api-routes.ts";
import { type ApiHub, openApiHub } from "./open-api-hub.ts";

type Asker = Awaited<ReturnType<ApiHub["addUser"]>>;

let hub: ApiHub;
let ada: Asker;
let admin: Asker;
let row: string;
beforeAll(async () => {
  hub = await openApiHub();
  ada = await hub.addUser("ada@example.com", { tags: ["red"] });
  admin = await hub.addUser("root@example.com", { admin: true });
  row = (await hub.addRow("Row", ["red"])).id;
});
afterAll(() => hub[Symbol.asyncDispose]());

async function whileAway(table: string, run: () => Promise<void>): Promise<void> {
  using database = new Database(join(hub.dataDir, "hub.sqlite"));
  database.run("pragma busy_timeout = 5000");
  database.run(`alter table ${table} rename to ${table}_away`);
  try {
    await run();
  } finally {
    database.run(`alter table ${table}_away rename to ${table}`);
  }
}

const toPath = ({ path }: ApiRoute) => path.replace("{row}", row).replaceAll(/\{\w+\}/g, row);
const ask = async (who: Asker, method: string, path: string) => {
  const { status, body } = await hub.ask(method, path, who);
  return [method, path, status, body.code];
};

test.each([
  "users",
  "user_tags",
  "personal_access_tokens",
])("nobody gets in while %s cannot be read", async (table) => {
  await whileAway(table, async () => {
    for (const route of apiRoutes) {
      const path = toPath(route);
      for (const who of [ada, admin]) {
        expect(await ask(who, route.method, path)).toEqual([route.method, path, 500, "internal"]);
      }
    }
  });
  expect((await hub.ask("GET", "/profile/api/me", ada)).status).toBe(200);
});

test.each([
  ["row_tags", ["rows", "rows/ROW", "rows/ROW/runs", "rows/ROW/runs/export", "connectors"]],
  ["connector_rows", ["rows", "rows/ROW", "rows/ROW/runs", "connectors", "connectors/fixture"]],
  ["type_states", ["rows", "rows/ROW", "connectors"]],
])("what %s decides is told to nobody while it cannot be read", async (table, paths) => {
  await whileAway(table, async () => {
    for (const one of paths) {
      const path = `/manager/api/${one.replace("ROW", row)}`;
      expect(await ask(ada, "GET", path)).toEqual(["GET", path, 500, "internal"]);
    }
  });
  expect((await hub.ask("GET", `/manager/api/rows/${row}`, ada)).status).toBe(200);
});
