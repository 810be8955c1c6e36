/** Protects: who an account is outside never changes under its id, and no grant is left that its user has replaced or removed. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { addSignIn } from "../../../bridges/mcp/oauth/add-sign-in.ts";
import { serveProvider } from "../../../bridges/mcp/oauth/testing/serve-provider.ts";
import type { Caller } from "../../../caller.ts";
import type { Actor } from "../../../changes/actor.ts";
import { httpConnector } from "../../../connectors/builtin/http/http-connector.ts";
import { createLocalConnector } from "../../../connectors/local-connector.ts";
import { toHubError } from "../../../errors.ts";
import { listEndings } from "../../../store/accounts/account-endings.ts";
import { listUserAccounts } from "../../../store/accounts/user-accounts-table.ts";
import { runSql } from "../../../store/testing/run-sql.ts";
import { addRow } from "../../rows/manage-rows.ts";
import { setRow } from "../../rows/set-row.ts";
import { openTestServices } from "../../testing/open-test-services.ts";
import { endAccounts } from "../end-accounts.ts";
import { listAccounts } from "../list-accounts.ts";
import { removeAccount } from "../manage-accounts.ts";
import { beginAccountSignIn } from "./begin-account-sign-in.ts";
import { finishAccountSignIn, takeSignIn } from "./finish-account-sign-in.ts";

const owned = new AsyncDisposableStack();
afterAll(() => owned.disposeAsync());
let hub: Awaited<ReturnType<typeof openTestServices>>;
let provider: ReturnType<typeof serveProvider>;
let caller: Caller;
let actor: Actor;
let row: string;

beforeAll(async () => {
  provider = serveProvider("in a user member");
  owned.defer(() => provider.close());
  hub = await openTestServices({});
  owned.defer(() => hub.close());
  const unused = async () => {
    throw new Error("No call is made");
  };
  const authorizer = { findToken: unused, renewToken: unused, refuse: unused, findPage: unused };
  const connector = createLocalConnector(httpConnector, ({ memory }) => ({ memory }));
  hub.deps.registry.register(addSignIn(connector, authorizer));
  const email = "ann@example.com";
  const { id } = await hub.admin.users.add({ email, role: "user", tags: ["chat"] });
  caller = { userId: id, email, name: email, role: "user", tags: new Set(["chat"]), tokenId: null };
  actor = { userId: id, email, tokenId: null, via: "session", ip: null };
  const given = { connector: "http", label: "Chat", tags: ["chat"], values: provider.values };
  row = (await addRow(hub.deps, actor, { ...given, access: "own" })).id;
});

/** Signs in with the default label. `meanwhile` runs when the tokens are made. */
async function connect(meanwhile: () => Promise<void> = async () => {}): Promise<string> {
  const { signal } = new AbortController();
  const { rows } = await listAccounts(hub.deps, caller);
  const hosts = rows.find(({ id }) => id === row)?.hosts ?? [];
  const by = { caller, sessionId: "session", baseUrl: "http://127.0.0.1", signal };
  const begun = await beginAccountSignIn(hub.deps, by, { row, hosts });
  const state = new URL(begun.authorize_url).searchParams.get("state") ?? "";
  const answer = new URLSearchParams({ code: provider.takeConsent(begun.authorize_url), state });
  const brought = { path: `/auth/connect/callback/${row}`, answer };
  const taken = await takeSignIn(hub.deps, brought);
  if (taken === null) throw new Error("The sign-in was not begun");
  provider.onTokens(meanwhile);
  await finishAccountSignIn(hub.deps, { caller, actor, sessionId: "session" }, taken, brought);
  const [account] = await listUserAccounts(hub.deps.store.db, caller.userId);
  return account?.id ?? "";
}

test("Each person that a user signs in as has an account of its own, and each grant is ended outside", async () => {
  const first = await connect();
  expect(await connect()).toBe(first);
  provider.changePerson("U2");
  const second = await connect();
  provider.changePerson("U3");
  const third = await connect();
  expect(new Set([first, second, third]).size).toBe(3);
  const { accounts } = await listAccounts(hub.deps, caller);
  expect(accounts).toMatchObject([{ id: third, label: "default", identity: "U3" }]);
  await removeAccount(hub.deps, { caller, actor }, third);
  const ended = (await listEndings(hub.deps.store.db, caller.userId)).map(({ id }) => id);
  expect(ended.toSorted()).toEqual([first, second, third].toSorted());
});

test("A removed account is ended outside with the client's new secret", async () => {
  const id = await connect();
  await removeAccount(hub.deps, { caller, actor }, id);
  provider.changeClientSecret("other");
  await setRow(hub.deps, actor, row, { values: { client_secret: "other" } });
  expect(provider.isGrantAlive()).toBe(true);
  await endAccounts(hub.deps);
  const left = (await listEndings(hub.deps.store.db, caller.userId)).map(({ failure }) => failure);
  expect([provider.isGrantAlive(), left]).toEqual([false, []]);
});

test("The tokens of a sign-in that cannot be stored are ended outside", async () => {
  const isRefused = connect(async () => {
    await setRow(hub.deps, actor, row, { access: "shared" });
  });
  await expect(isRefused).rejects.toThrow("not connected by a sign-in");
  expect(provider.isGrantAlive()).toBe(true);
  expect(await listEndings(hub.deps.store.db, caller.userId)).toHaveLength(1);
  await endAccounts(hub.deps);
  const left = await listEndings(hub.deps.store.db, caller.userId);
  expect([provider.isGrantAlive(), left]).toEqual([false, []]);
  await setRow(hub.deps, actor, row, { access: "own" });
});

test("A sign-in is refused for its own reason, also if its tokens cannot be put down to be ended", async () => {
  const { db } = hub.deps.store;
  const refusing = "create trigger refuse before insert on account_endings";
  await runSql(db, `${refusing} begin select raise(abort, 'disk full'); end`);
  const thrown: unknown = await connect(async () => {
    await setRow(hub.deps, actor, row, { access: "shared" });
  }).catch((failure: unknown) => failure);
  await runSql(db, "drop trigger refuse");
  await setRow(hub.deps, actor, row, { access: "own" });
  const { code, cause } = toHubError(thrown);
  expect([code, cause]).toEqual(["conflict", expect.any(AggregateError)]);
  expect(String(thrown)).toContain("not connected by a sign-in");
  expect(String(thrown)).toContain("Remove it at the outside system.");
});

test("They are not ended where an account of the same person may use the same grant", async () => {
  const id = await connect();
  const isRefused = connect(async () => {
    await setRow(hub.deps, actor, row, { access: "shared" });
  });
  await expect(isRefused).rejects.toThrow("not connected by a sign-in");
  await setRow(hub.deps, actor, row, { access: "own" });
  expect(await listEndings(hub.deps.store.db, caller.userId)).toEqual([]);
  await removeAccount(hub.deps, { caller, actor }, id);
});
