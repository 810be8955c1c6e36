/** Protects: a machine's grant has the bounds of its present registrations. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TokenBounds } from "../../lib/call-bounds.ts";
import { transaction } from "../database/database.ts";
import type { Store } from "../store.ts";
import { newUser } from "../test-data.ts";
import { openTestStore } from "../testing/open-test-store.ts";
import { insertUser } from "../users/users-table.ts";
import { putMachineGrant } from "./machine-grants.ts";
import { findOAuthGrant } from "./oauth-grants.ts";

let dataDir: string;
let store: Store;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hub-grants-"));
  store = await openTestStore({ dataDir });
});
afterAll(async () => {
  await store.close();
  await rm(dataDir, { recursive: true });
});

test("The next token of a machine has the same grant, with the bounds of now and the later end", async () => {
  const { id: userId } = await insertUser(store.db, newUser());
  const put = async (bounds: TokenBounds | null, expiresAt: number) =>
    await transaction(store.db, (trx) =>
      putMachineGrant(trx, {
        id: crypto.randomUUID(),
        userId,
        clientId: "c",
        clientName: "c",
        redirectUri: "",
        scope: "mcp",
        resource: "r",
        createdAt: 1,
        machine: "issuer:i",
        bounds,
        expiresAt,
      }),
    );
  const bounds = { rows: ["7f5e2a60-1111-4222-8333-444455556666"] };
  const id = await put(null, 2_000);
  expect(await put(bounds, 1_000)).toBe(id);
  expect(await findOAuthGrant(store.db, id)).toMatchObject({ bounds, expiresAt: 2_000 });
});
