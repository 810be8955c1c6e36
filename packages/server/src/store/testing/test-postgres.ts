import { createHash } from "node:crypto";
import { SQL } from "bun";
import { openPostgresStore } from "../postgres/open-postgres.ts";
import type { Store } from "../store.ts";

/** A PostgreSQL server for the stores of tests, whose user may create databases. */
type TestPostgres = { url: string; template: string };

/** Null if the tests use SQLite. */
export function findTestPostgres(): TestPostgres | null {
  const url = process.env.HUB_TEST_DATABASE_URL;
  if (url === undefined || url === "") return null;
  return { url, template: process.env.HUB_TEST_DATABASE_TEMPLATE ?? "template0" };
}

type Opened = { created: Promise<void>; stores: number };

/** The databases of this process, by name. The last store of one drops it. */
const databases: Map<string, Opened> = new Map();

/** Opens a store on the database of a data folder, which several stores share. */
export async function openTestPostgres(
  server: TestPostgres,
  { dataDir, lockMsMax }: { dataDir: string; lockMsMax?: number | undefined },
): Promise<Store> {
  const name = `hub_unit_${createHash("sha256").update(dataDir).digest("hex").slice(0, 24)}`;
  const create = `create database ${name} template ${server.template} encoding 'UTF8' strategy file_copy`;
  const opened = databases.get(name) ?? { created: runOn(server, create), stores: 0 };
  databases.set(name, opened);
  opened.stores += 1;
  await opened.created;
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  const store = await openPostgresStore({
    url: url.href,
    connectionsMax: 4,
    ...(lockMsMax !== undefined && { lockMsMax }),
  });
  return {
    ...store,
    async close() {
      await store.close();
      opened.stores -= 1;
      if (opened.stores > 0) return;
      databases.delete(name);
      await runOn(server, `drop database ${name} with (force)`);
    },
  };
}

async function runOn({ url }: TestPostgres, statement: string): Promise<void> {
  await using server = new SQL({ url, max: 1 });
  await server.unsafe(statement);
}
