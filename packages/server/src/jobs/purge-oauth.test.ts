import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  findOAuthClient,
  insertOAuthClient,
  purgeOAuthClients,
  touchOAuthClient,
} from "../store/oauth/oauth-clients.ts";
import { insertOAuthGrant, listOAuthGrants } from "../store/oauth/oauth-grants.ts";
import { newUser } from "../store/test-data.ts";
import { openTestStore } from "../store/testing/open-test-store.ts";
import { runSql } from "../store/testing/run-sql.ts";
import { insertUser } from "../store/users/users-table.ts";
import { createOAuthPurgeJob } from "./purge-oauth.ts";

const dayMs = 86_400_000;

async function openStage() {
  const dataDir = await mkdtemp(join(tmpdir(), "hub-purge-"));
  const store = await openTestStore({ dataDir });
  const user = await insertUser(store.db, newUser());
  const clock = { time: 1_000_000 * dayMs };
  const { db } = store;
  const job = createOAuthPurgeJob({ db, now: () => clock.time });
  return {
    db,
    clock,
    purge: () => job.run(),
    register: (id: string) => insertOAuthClient(db, { id, metadata: "{}" }, clock.time),
    isThere: async (id: string) => (await findOAuthClient(db, id)) !== null,
    grant: (clientId: string, days: number) =>
      insertOAuthGrant(db, {
        id: `grant-${clientId}`,
        userId: user.id,
        clientId,
        clientName: clientId,
        redirectUri: "https://app.example/cb",
        scope: "mcp",
        resource: "https://hub.example/mcp",
        createdAt: clock.time,
        expiresAt: clock.time + days * dayMs,
      }),
    async [Symbol.asyncDispose]() {
      await store.close();
      await rm(dataDir, { recursive: true });
    },
  };
}

test("Unused clients are deleted, clients with an active grant are not", async () => {
  await using stage = await openStage();
  const { db, clock } = stage;
  for (const id of ["unused", "granted", "idle", "busy"]) await stage.register(id);
  await stage.grant("granted", 365);
  await touchOAuthClient(db, "idle", clock.time);
  clock.time += 2 * dayMs;
  await stage.purge();
  expect(await stage.isThere("unused")).toBe(false);
  expect(await stage.isThere("busy")).toBe(false);
  expect(await stage.isThere("idle")).toBe(true);
  expect(await stage.isThere("granted")).toBe(true);
  clock.time += 90 * dayMs;
  await stage.purge();
  expect(await stage.isThere("idle")).toBe(false);
  expect(await stage.isThere("granted")).toBe(true);
});

test("Expired grants are deleted", async () => {
  await using stage = await openStage();
  await stage.grant("short", 1);
  await stage.grant("long", 3);
  stage.clock.time += 2 * dayMs;
  await stage.purge();
  const left = await listOAuthGrants(stage.db, { now: 0 });
  expect(left.map((grant) => grant.clientId)).toEqual(["long"]);
});

test("A flood of registrations displaces its own clients, not clients in use", async () => {
  await using stage = await openStage();
  await stage.register("used");
  await touchOAuthClient(stage.db, "used", stage.clock.time);
  await runSql(
    stage.db,
    `with recursive early(n) as (select 0 union all select n + 1 from early where n < 1989)
    insert into oauth_clients (id, metadata, created_at, last_used_at)
    select 'flood-' || n, '{}', ? + n, null from early`,
    stage.clock.time,
  );
  // Registered one by one up to and beyond the limit, as by unknown clients.
  for (let count = 1_990; count < 2_010; count += 1) {
    stage.clock.time += count;
    await stage.register(`flood-${count}`);
  }
  expect(await stage.isThere("used")).toBe(true);
  expect(await stage.isThere("flood-9")).toBe(false);
  expect(await stage.isThere("flood-10")).toBe(true);
  expect(await stage.isThere("flood-2009")).toBe(true);
  const rest = { unusedSince: Number.MAX_SAFE_INTEGER, idleSince: 0 };
  expect(await purgeOAuthClients(stage.db, rest)).toBe(2_000);
});
