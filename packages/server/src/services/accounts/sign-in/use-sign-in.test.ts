/**
 * Protects: a user's tokens are refreshed once over all servers, at providers that rotate them in their own ways, are never lost
 * by a fault of others, and are ended outside when the account is removed.
 */
import { afterAll, afterEach, expect, test } from "bun:test";
import { createRowAuthorizer } from "../../../bridges/mcp/oauth/authorize-row.ts";
import { beginConnect } from "../../../bridges/mcp/oauth/begin-sign-in.ts";
import { readConnectTarget } from "../../../bridges/mcp/oauth/connect-target.ts";
import { openTokens, sealTokens } from "../../../bridges/mcp/oauth/connection-secrets.ts";
import { finishConnect } from "../../../bridges/mcp/oauth/finish-sign-in.ts";
import { type Provider, providerNames } from "../../../bridges/mcp/oauth/testing/provider-names.ts";
import { serveProvider } from "../../../bridges/mcp/oauth/testing/serve-provider.ts";
import { createConnectorRegistry } from "../../../connectors/registry.ts";
import { systemTimers } from "../../../lib/time/timers.ts";
import { sealAtRest } from "../../../secrets/at-rest/at-rest.ts";
import { toAccountLocation } from "../../../secrets/at-rest/secret-locations.ts";
import { noSecretReferences } from "../../../secrets/at-rest/secret-references.ts";
import { createKeyRing } from "../../../secrets/keys/key-ring.ts";
import { createRingHolder } from "../../../secrets/keys/ring-holder.ts";
import { listEndings, putEnding, removeEnding } from "../../../store/accounts/account-endings.ts";
import { claimAccountRefresh, findAccountTokens } from "../../../store/accounts/account-tokens.ts";
import { insertUserAccount } from "../../../store/accounts/user-accounts-table.ts";
import { transaction } from "../../../store/database/database.ts";
import { findClientFault } from "../../../store/rows/row-clients.ts";
import { deleteRow, insertRow } from "../../../store/rows/rows-table.ts";
import { newRow, newUser } from "../../../store/test-data.ts";
import { createReusedStores } from "../../../store/testing/reused-stores.ts";
import { insertUser, updateUser } from "../../../store/users/users-table.ts";
import { endAccounts } from "../end-accounts.ts";

const stores = createReusedStores();
afterAll(() => stores.close());

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const { signal } = new AbortController();
const silent = () => {};
const hourMs = 3_600_000;

/** An account of a user at a provider, and servers of one database that use it. */
async function open(name: Provider) {
  const provider = serveProvider(name);
  closers.push(provider.close);
  const { store, openAnother, giveBack } = await stores.take();
  closers.push(giveBack);
  const { db } = store;
  const ring = await createRingHolder(async () => createKeyRing([new Uint8Array(32).fill(7)]));
  let time = 1_000_000;
  const now = () => time;
  const { id: userId } = await insertUser(db, newUser());
  const { id: rowId } = await insertRow(db, newRow());
  const target = readConnectTarget(provider.values, { policy: provider.policy, rowId });
  const begun = await beginConnect({}, target, "http://127.0.0.1");
  const state = new URL(begun.url).searchParams.get("state") ?? "";
  const answer = new URLSearchParams({ code: provider.takeConsent(begun.url), state });
  const { attempt } = begun;
  const { tokens, secrets, identity } = await finishConnect(target, attempt, answer, now);
  const id = crypto.randomUUID();
  const location = toAccountLocation({ id, userId, rowId });
  const address = attempt.address;
  await transaction(db, (trx) =>
    insertUserAccount(trx, {
      id,
      userId,
      rowId,
      label: "default",
      kind: "oauth",
      tokensId: "first",
      identity,
      hosts: [],
      publisher: "",
      scope: tokens.scope ?? "",
      connectedAt: time,
      expiresAt: tokens.expiresAt,
      renewAt: tokens.renewAt,
      sealed: sealTokens(ring.current(), location, { ...secrets, address }),
    }),
  );
  async function addServer() {
    const own = await openAnother();
    const authorizer = createRowAuthorizer({
      db: own.db,
      ring,
      now,
      timers: systemTimers,
      timeoutMs: 60_000,
      log: { debug: silent, info: silent, warn: silent, error: silent },
      findBaseUrl: async () => "http://hub.test",
    });
    closers.push(() => authorizer.close());
    return authorizer;
  }
  const { client, policy } = target;
  return {
    provider,
    store,
    db,
    ring,
    identity,
    addServer,
    owner: { id, userId, rowId },
    row: {
      rowId,
      connectionId: null,
      account: { id, userId },
      client,
      policy,
      address: target.address,
    },
    advance: (ms: number) => {
      time += ms;
    },
    end: () =>
      endAccounts({
        store,
        ring,
        now,
        registry: createConnectorRegistry(),
        references: noSecretReferences,
        timeoutMs: 60_000,
        // The job reads this member alone.
        config: { outboundAllow: [] } as never,
      }),
    async readStored() {
      const found = await findAccountTokens(db, { id, userId });
      if (found === null) throw new Error("removed");
      return { ...found, secrets: await openTokens(ring, location, found.sealed) };
    },
  };
}

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    (value) => ({ code: "none", message: `it resolved: ${JSON.stringify(value)}` }),
    (thrown) => ({ code: String(thrown.code), message: String(thrown.message) }),
  );

test.each(providerNames)("50 calls on two servers refresh once: %s", async (name) => {
  const { row, provider, addServer, advance } = await open(name);
  const servers = [await addServer(), await addServer()];
  const find = () =>
    Promise.all(Array.from({ length: 50 }, (_, at) => servers[at % 2]?.findToken(row, signal)));
  const first = new Set(await find());
  advance(13 * hourMs);
  const second = new Set(await find());
  expect([first.size, second.size]).toEqual([1, 1]);
  expect(provider.refreshes()).toBe(provider.expires ? 1 : 0);
  expect(provider.accepts([...second][0] ?? "")).toBe(true);
  advance(13 * hourMs);
  expect(provider.accepts((await servers[0]?.findToken(row, signal)) ?? "")).toBe(true);
});

test.each(
  providerNames,
)("A refused grant asks its user once to connect again: %s", async (name) => {
  const { row, provider, addServer, readStored } = await open(name);
  const authorizer = await addServer();
  const token = await authorizer.findToken(row, signal);
  provider.endGrant();
  const failure = await failureOf(authorizer.renewToken(row, token, signal));
  expect(failure.code).toBe("needs_account");
  const asked = provider.tokenRequests();
  for (const server of [authorizer, await addServer()]) {
    expect((await failureOf(server.findToken(row, signal))).code).toBe("needs_account");
  }
  expect(provider.tokenRequests()).toBe(asked);
  expect((await readStored()).lost).not.toBeNull();
});

test.each(
  providerNames,
)("A refused client is the admin's fault, and keeps the tokens: %s", async (name) => {
  const { row, provider, addServer, advance, readStored, db, owner } = await open(name);
  const token = await (await addServer()).findToken(row, signal);
  provider.refuseClient(true);
  const refused = await failureOf((await addServer()).renewToken(row, token, signal));
  if (!provider.renews) return expect(refused.code).toBe("needs_account");
  expect(refused.code).toBe("needs_setup");
  expect(refused.message).toContain("/manager/connectors/");
  expect((await readStored()).lost).toBeNull();
  expect((await findClientFault(db, owner.rowId))?.reason).toContain("refused the hub's client");
  provider.refuseClient(false);
  advance(hourMs);
  expect(provider.accepts(await (await addServer()).renewToken(row, token, signal))).toBe(true);
});

test.each(providerNames)("A provider that is down keeps what is there: %s", async (name) => {
  const { row, provider, addServer, readStored } = await open(name);
  const token = await (await addServer()).findToken(row, signal);
  provider.fail(true);
  const failure = await failureOf((await addServer()).renewToken(row, token, signal));
  if (!provider.renews) return expect(failure.code).toBe("needs_account");
  expect(failure.message).toContain("could not be renewed");
  expect((await readStored()).lost).toBeNull();
  provider.fail(false);
  expect(provider.accepts(await (await addServer()).renewToken(row, token, signal))).toBe(true);
});

test.each(
  providerNames,
)("A server that dies between answer and write never makes a loop: %s", async (name) => {
  const { row, provider, addServer, advance, db, owner } = await open(name);
  if (!provider.renews) return expect(provider.expires).toBe(false);
  const before = await (await addServer()).findToken(row, signal);
  // Its request is answered, and it writes nothing: the claim is all that is left of it.
  const refresh = { accountId: owner.id, tokensId: "first", refreshId: "dead" };
  const at = 1_000_000;
  expect(await claimAccountRefresh(db, refresh, { now: at, until: at + 30_000 })).toBe(true);
  provider.answerUnseen();
  advance(13 * hourMs);
  const server = await addServer();
  const outcome = await failureOf(server.renewToken(row, before, signal));
  expect(outcome.code).toBe(provider.rotates ? "needs_account" : "none");
  const asked = provider.tokenRequests();
  await failureOf((await addServer()).findToken(row, signal));
  expect(provider.tokenRequests()).toBe(asked);
});

test("An account's token is for the row's address alone", async () => {
  const { row, addServer } = await open("rotating");
  const authorizer = await addServer();
  const moved = { ...row, address: new URL("https://evil.example/") };
  const failure = await failureOf(authorizer.findToken(moved, signal));
  expect([failure.code, failure.message]).toEqual([
    "needs_account",
    expect.stringContaining("address has changed"),
  ]);
});

test("Nothing opens the tokens of one user for another", async () => {
  const { row, addServer, db } = await open("rotating");
  const { id: other } = await insertUser(db, newUser({ email: "eve@example.com" }));
  const account = { id: row.account.id, userId: other };
  const failure = await failureOf((await addServer()).findToken({ ...row, account }, signal));
  expect(failure.code).toBe("needs_account");
});

test.each(
  providerNames,
)("A disabled user's access is ended outside, with retries: %s", async (name) => {
  const { provider, db, owner, end, advance } = await open(name);
  provider.fail(true);
  await updateUser(db, owner.userId, { status: "disabled" }, 1_000_000);
  expect(await findAccountTokens(db, owner)).toBeNull();
  await end();
  if (!provider.revokes) {
    expect(await listEndings(db, null)).toEqual([]);
    return;
  }
  expect(await listEndings(db, owner.userId)).toMatchObject([
    { attempts: 1, failure: expect.any(String) },
  ]);
  expect(provider.isGrantAlive()).toBe(true);
  provider.fail(false);
  await end();
  // Not before its time.
  expect(provider.isGrantAlive()).toBe(true);
  advance(13 * hourMs);
  await end();
  const left = (await listEndings(db, null)).map(({ failure }) => failure);
  expect([provider.isGrantAlive(), left]).toEqual([false, []]);
});

test("A user whom groups disabled keeps the access, until it is done by hand", async () => {
  const { provider, db, owner, end } = await open("rotating");
  await updateUser(db, owner.userId, { status: "disabled", disabledBy: "groups" }, 1_000_000);
  await end();
  expect(await findAccountTokens(db, owner)).not.toBeNull();
  expect([provider.isGrantAlive(), await listEndings(db, null)]).toEqual([true, []]);
  await updateUser(db, owner.userId, { status: "disabled" }, 1_000_000);
  expect(await findAccountTokens(db, owner)).toBeNull();
});

test("An access that cannot be ended does not keep another one from its turn", async () => {
  const { provider, db, ring, owner, end } = await open("grant deleting");
  const bad = { ...owner, id: crypto.randomUUID() };
  const sealed = sealAtRest(ring.current(), toAccountLocation(bad), "{}");
  await transaction(db, (trx) => putEnding(trx, { ...bad, sealed }, 999_999));
  await updateUser(db, owner.userId, { status: "disabled" }, 1_000_000);
  await expect(end()).rejects.toThrow(AggregateError);
  expect(provider.isGrantAlive()).toBe(false);
  expect(await listEndings(db, owner.userId)).toMatchObject([
    { id: bad.id, attempts: 1, failure: "The hub failed. Its log has the cause." },
  ]);
});

test("Tokens that arrive while the account is removed are ended outside in place of the former ones", async () => {
  const { row, provider, db, owner, addServer, end } = await open("as JSON");
  const authorizer = await addServer();
  const token = await authorizer.findToken(row, signal);
  provider.onTokens(async () => {
    await updateUser(db, owner.userId, { status: "disabled" }, 1_000_000);
  });
  expect((await failureOf(authorizer.renewToken(row, token, signal))).code).toBe("needs_account");
  provider.onTokens(null);
  expect(provider.isGrantAlive()).toBe(true);
  await end();
  expect([provider.isGrantAlive(), await listEndings(db, null)]).toEqual([false, []]);
});

test("Tokens that arrive after the former ones were ended outside are ended, too", async () => {
  const { row, provider, db, owner, addServer, end } = await open("as JSON");
  const authorizer = await addServer();
  const token = await authorizer.findToken(row, signal);
  provider.onTokens(async () => {
    await deleteRow(db, owner.rowId, 1_000_000);
    // As the job does for tokens that its provider no longer knows.
    for (const { id } of await listEndings(db, null)) await removeEnding(db, id);
  });
  await failureOf(authorizer.renewToken(row, token, signal));
  provider.onTokens(null);
  expect(provider.isGrantAlive()).toBe(true);
  await end();
  expect([provider.isGrantAlive(), await listEndings(db, null)]).toEqual([false, []]);
});

test("A problem with the row's client is over after the next refresh", async () => {
  const { row, provider, db, owner, addServer, advance } = await open("rotating");
  const token = await (await addServer()).findToken(row, signal);
  provider.refuseClient(true);
  await failureOf((await addServer()).renewToken(row, token, signal));
  expect(await findClientFault(db, owner.rowId)).not.toBeNull();
  provider.refuseClient(false);
  advance(hourMs);
  await (await addServer()).renewToken(row, token, signal);
  expect(await findClientFault(db, owner.rowId)).toBeNull();
});

test("Nothing the admin can correct: a refused client that the row does not name asks the user", async () => {
  const { row, provider, db, owner, addServer } = await open("rotating");
  const token = await (await addServer()).findToken(row, signal);
  provider.refuseClient(true);
  const renewed = (await addServer()).renewToken({ ...row, client: null }, token, signal);
  expect((await failureOf(renewed)).code).toBe("needs_account");
  expect(await findClientFault(db, owner.rowId)).toBeNull();
});

test("A client's new secret is used by accounts that were connected with the former one", async () => {
  const { row, provider, addServer } = await open("rotating");
  const token = await (await addServer()).findToken(row, signal);
  provider.changeClientSecret("other");
  const client = { id: "mine", secret: "other" };
  const renewed = await (await addServer()).renewToken({ ...row, client }, token, signal);
  expect(provider.accepts(renewed)).toBe(true);
});

test("The access in a deleted row is ended outside", async () => {
  const { provider, db, owner, end } = await open("grant deleting");
  expect(await deleteRow(db, owner.rowId, 1_000_000)).toBe(true);
  await end();
  expect([provider.isGrantAlive(), await listEndings(db, null)]).toEqual([false, []]);
});

test("Who has signed in is read where the provider says it", async () => {
  expect((await open("not rotating")).identity).toBe("ann@example.com");
  expect((await open("rotating")).identity).toBeNull();
});
