/** Protects: no token of a machine client outlives it, whichever way the client got it. */
import { expect, test } from "bun:test";
import { hashToken } from "../../identity/authenticate-bearer.ts";
import { commandLineActor } from "../../identity/local-admin.ts";
import { transaction } from "../../store/database/database.ts";
import { putMachineGrant } from "../../store/oauth/machine-grants.ts";
import { insertOAuthAccessToken } from "../../store/oauth/oauth-access-tokens.ts";
import { insertOAuthGrant } from "../../store/oauth/oauth-grants.ts";
import { newUser } from "../../store/test-data.ts";
import { insertUser } from "../../store/users/users-table.ts";
import { openTestServices } from "../testing/open-test-services.ts";
import { addMachineClient, removeMachineClient } from "./manage-machine-clients.ts";

test("Deleting a client ends its own tokens and those of its assertions, and no others", async () => {
  const opened = await openTestServices();
  await using hub = { ...opened, [Symbol.asyncDispose]: () => opened.close() };
  const { store, now } = hub.deps;
  const user = await insertUser(store.db, newUser({ email: "grace@example.com" }));
  const made = await addMachineClient(hub.deps, commandLineActor, { name: "ci" });
  const other = await addMachineClient(hub.deps, commandLineActor, { name: "other" });
  const issuer = crypto.randomUUID();
  const cases = [
    { machine: `client:${made.id}`, clientId: made.id, stays: false },
    { machine: `issuer:${issuer}`, clientId: made.id, stays: false },
    { machine: `issuer:${issuer}`, clientId: other.id, stays: true },
    { machine: `client:${other.id}`, clientId: other.id, stays: true },
    { machine: null, clientId: made.id, stays: true },
  ];
  const times = { createdAt: now(), expiresAt: now() + 3_600_000 };
  const tokens = await Promise.all(
    cases.map(async ({ machine, clientId, stays }, at) => {
      const tokenHash = hashToken(`token ${at}`);
      const shared = { userId: user.id, clientId, scope: "mcp", resource: "r", ...times };
      const grant = { id: crypto.randomUUID(), clientName: "x", redirectUri: "", ...shared };
      await transaction(store.db, async (trx) => {
        if (machine === null) await insertOAuthGrant(trx, grant);
        else await putMachineGrant(trx, { ...grant, machine, bounds: null });
        await insertOAuthAccessToken(trx, { ...shared, tokenHash, grantId: grant.id });
      });
      return { tokenHash, stays };
    }),
  );
  await removeMachineClient(hub.deps, commandLineActor, made.id);
  for (const { tokenHash, stays } of tokens) {
    expect((await store.reads.findOAuthTokenOwner(tokenHash)) !== null).toBe(stays);
  }
});
