import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { defineConnector, wick } from "@hub/connector";
import type { Caller } from "../../caller.ts";
import type { Actor } from "../../changes/actor.ts";
import { createLocalConnector } from "../../connectors/local-connector.ts";
import { readOwnAccounts } from "../../store/accounts/user-accounts-table.ts";
import type { RowAccess } from "../../store/database/tables/account-tables.ts";
import { listRuns } from "../../store/runs/runs-table.ts";
import { runSql } from "../../store/testing/run-sql.ts";
import { rotateKeys } from "../keys/manage-keys.ts";
import { addRow, deleteRow } from "../rows/manage-rows.ts";
import { setRow } from "../rows/set-row.ts";
import { showRun } from "../runs/list-recorded-runs.ts";
import { viewRun } from "../runs/own-run-history.ts";
import { retryRun } from "../runs/retry-run.ts";
import { openTestServices } from "../testing/open-test-services.ts";
import { listKnownAccounts, removeKnownAccount } from "./known-accounts.ts";
import { listAccounts } from "./list-accounts.ts";
import { addAccount, changeAccount, removeAccount } from "./manage-accounts.ts";

const mailbox = defineConnector({
  key: "mailbox",
  name: "Mailbox",
  icon: "mail",
  tier: "builtin",
  description: "Answers with what it was called with.",
  config: {
    BaseURL: wick("url;required"),
    User: wick("personal"),
    Token: wick("secret;personal;required"),
    Shared: wick("secret"),
  },
  operations: {
    read: {
      description: "Gives the length of its token, and the token.",
      run: ({ config }) => ({
        chars: (config.Token ?? "").length,
        user: config.User ?? "none",
        shared: config.Shared !== undefined,
        token: config.Token,
      }),
    },
  },
});

const sharedToken = "shared-Zq7xK2mV9";
const adaToken = "ada-tokeN-4fT8wQ1zR6yB";
const evaToken = "eva-tokeN-9kP3nH5cX2vLdd";
const base = "https://mail.example.com/v1";
const hosts = ["https://mail.example.com"];

let hub: Awaited<ReturnType<typeof openTestServices>>;
let ada: Person;
let eva: Person;
let root: Person;
beforeAll(async () => {
  hub = await openTestServices();
  hub.deps.registry.register(createLocalConnector(mailbox, () => ({})));
  ada = await addPerson("ada@example.com", "user");
  eva = await addPerson("eva@example.com", "user");
  root = await addPerson("root@example.com", "admin");
});
afterAll(() => hub.close());

type Person = { caller: Caller; actor: Actor };

async function addPerson(email: string, role: "user" | "admin"): Promise<Person> {
  const { id } = await hub.admin.users.add({ email, role, tags: ["mail"] });
  const caller = { userId: id, email, name: email, role, tags: new Set(["mail"]), tokenId: null };
  return { caller, actor: { userId: id, email, tokenId: null, via: "session", ip: null } };
}

async function makeRow(access: RowAccess, values: Record<string, string> = {}): Promise<string> {
  const { id } = await addRow(hub.deps, root.actor, {
    connector: "mailbox",
    label: `Mail ${access}`,
    tags: ["mail"],
    access,
    values: { base_url: base, shared: "of-the-row-8sJ3", ...values },
  });
  return id;
}

const connect = ({ caller, actor }: Person, row: string, token: string, label = "default") =>
  addAccount(hub.deps, { caller, actor }, { row, label, values: { token }, hosts });

type Options = { account?: string; cron?: true; startedBy?: string };

async function call({ caller }: Person, row: string, { account, cron, startedBy }: Options = {}) {
  const isWorkflow = cron === true || startedBy !== undefined;
  const origin = {
    source: isWorkflow ? ("workflow" as const) : ("mcp" as const),
    ip: null,
    userAgent: null,
    ...(startedBy !== undefined && { isByHand: startedBy === caller.email }),
  };
  const { value } = await hub.deps.operations.calls.call(
    { caller, origin, signal: new AbortController().signal },
    { toolId: `conn:${row}/read`, params: {}, account },
  );
  return value as { chars: number; user: string; shared: boolean; token: string };
}

async function newestRun() {
  const [run] = await listRuns(hub.deps.store.db, { limit: 1 });
  if (run === undefined) throw new Error("There is no run.");
  return run;
}

describe("A row with own accounts", () => {
  test("Each user's calls use the account of this user, and the record names it", async () => {
    const row = await makeRow("own", { token: sharedToken });
    await connect(ada, row, adaToken);
    await connect(eva, row, evaToken, "work");
    expect(await call(ada, row)).toMatchObject({ chars: adaToken.length, shared: true });
    expect(await newestRun()).toMatchObject({ status: "success", account: "own: default" });
    expect((await call(eva, row)).chars).toBe(evaToken.length);
    const { id, account } = await newestRun();
    expect(account).toBe("own: work");
    const shownTo = async ({ caller }: Person) => (await viewRun(hub.deps, caller, id)).account;
    expect(await shownTo(eva)).toBe("own: work");
    expect(await shownTo(root)).toBe("own");
    expect(await shownTo(ada)).toBeNull();
    expect((await showRun(hub.deps, id)).account).toBe("own");
  });

  test("A replay uses the account of its call, or none", async () => {
    const row = await makeRow("own");
    const work = await connect(ada, row, adaToken, "work");
    await call(ada, row);
    const { id = "" } = (await newestRun()) ?? {};
    const { signal } = new AbortController();
    const retry = () => retryRun(hub.deps, { caller: ada.caller, signal }, id);
    await connect(ada, row, evaToken, "private");
    expect(await retry()).toMatchObject({ value: { chars: adaToken.length } });
    await removeAccount(hub.deps, ada, work.id);
    await expect(retry()).rejects.toMatchObject({ code: "invalid_params" });
  });

  test("The token of an account leaves a call only as a value token, and stands in no record", async () => {
    const row = await makeRow("own");
    await connect(ada, row, adaToken);
    expect((await call(ada, row)).token).toStartWith("hub_enc_");
    const run = await newestRun();
    expect(JSON.stringify(run)).not.toContain(adaToken);
  });

  test("Without an account a call is refused before it runs, and the row's own access is not used", async () => {
    const row = await makeRow("own", { token: sharedToken });
    await expect(call(eva, row)).rejects.toMatchObject({
      code: "needs_account",
      message: expect.stringContaining(`/profile/accounts?row=${row}`),
    });
    expect(await newestRun()).toMatchObject({ status: "denied", errorCode: "needs_account" });
  });

  test("No part of the row's own access is mixed into an account", async () => {
    const row = await makeRow("own", { token: sharedToken, user: "the-row" });
    await connect(ada, row, adaToken);
    expect((await call(ada, row)).user).toBe("none");
  });

  test("With several accounts a call names one by its label", async () => {
    const row = await makeRow("own");
    await connect(ada, row, adaToken, "work");
    await connect(ada, row, `${adaToken}-private`, "private");
    await expect(call(ada, row)).rejects.toMatchObject({
      code: "invalid_params",
      message: expect.stringContaining('"work", "private"'),
    });
    const { catalogue } = hub.deps.operations;
    const labels = ["work", "private"];
    const toolId = `conn:${row}/read`;
    expect(await catalogue.get(ada.caller, toolId)).toMatchObject({ accounts: labels });
    const listed = (await catalogue.listRows(ada.caller)).filter(({ accounts }) => accounts);
    expect(listed.filter(({ accounts = [] }) => Bun.deepEquals(accounts, labels))).toHaveLength(1);
    expect((await catalogue.get(eva.caller, toolId)).accounts).toBeUndefined();
    expect((await call(ada, row, { account: "work" })).chars).toBe(adaToken.length);
    expect((await call(ada, row, { account: "private" })).chars).toBe(adaToken.length + 8);
    await expect(call(ada, row, { account: "other" })).rejects.toMatchObject({
      code: "invalid_params",
    });
  });
});

test("The last use of an account is stored", async () => {
  const row = await makeRow("own");
  await connect(ada, row, adaToken);
  const find = async () =>
    (await listAccounts(hub.deps, ada.caller)).accounts.find((one) => one.row_id === row);
  expect(await find()).toMatchObject({ used_at: null });
  await call(ada, row);
  expect((await find())?.used_at).toBeString();
});

test("At the hub's machine an account is listed without its label and its secrets, and removed", async () => {
  const row = await makeRow("own");
  const { id } = await connect(ada, row, adaToken, "dr-house");
  const list = async () =>
    (await listKnownAccounts(hub.deps, ada.caller.userId)).filter((one) => one.row_id === row);
  await setRow(hub.deps, root.actor, row, { values: { base_url: "https://other.example/v1" } });
  const listed = await list();
  expect(listed).toMatchObject([{ id, kind: "token", hosts, problem: expect.any(String) }]);
  expect(JSON.stringify(listed)).not.toContain("dr-house");
  expect(JSON.stringify(listed)).not.toContain(adaToken);
  await removeKnownAccount(hub.deps, root.actor, id);
  expect(await list()).toEqual([]);
  await expect(removeKnownAccount(hub.deps, root.actor, id)).rejects.toMatchObject({
    code: "not_found",
  });
});

/** Protects: an account is of its user alone. */
describe("The account of another user", () => {
  test("is neither listed, changed, removed nor used, by admins either", async () => {
    const row = await makeRow("own");
    const { id } = await connect(ada, row, adaToken, "mine");
    for (const other of [eva, root]) {
      const { accounts } = await listAccounts(hub.deps, other.caller);
      expect(accounts.filter((account) => account.id === id)).toEqual([]);
      const missing = { code: "not_found" };
      const change = { values: { token: "x" }, hosts };
      await expect(changeAccount(hub.deps, other, id, change)).rejects.toMatchObject(missing);
      await expect(changeAccount(hub.deps, other, id, { label: "y" })).rejects.toMatchObject(
        missing,
      );
      await expect(removeAccount(hub.deps, other, id)).rejects.toMatchObject(missing);
      for (const account of [undefined, "mine"]) {
        await expect(call(other, row, account === undefined ? {} : { account })).rejects.toThrow();
        expect((await newestRun())?.status).not.toBe("success");
      }
    }
    expect((await call(ada, row)).chars).toBe(adaToken.length);
  });

  test("does not open for a user to whom its row of the database was given", async () => {
    const row = await makeRow("own");
    const { id } = await connect(ada, row, adaToken);
    await runSql(
      hub.deps.store.db,
      `update user_accounts set user_id = '${root.caller.userId}' where id = '${id}'`,
    );
    await expect(call(root, row)).rejects.toThrow("was altered, or copied from another field");
    expect((await newestRun())?.status).toBe("error");
    // No rotation of the keys could seal it again.
    await deleteRow(hub.deps, root.actor, row);
  });

  test("is never in the lists of its owner with a secret", async () => {
    const row = await makeRow("own");
    await connect(ada, row, adaToken);
    expect(JSON.stringify(await listAccounts(hub.deps, ada.caller))).not.toContain(adaToken);
  });
});

describe("An account is bound to what its user was shown", () => {
  test("If the row leads elsewhere, the account sleeps, and wakes when it is connected for the new host", async () => {
    const row = await makeRow("own");
    const { id } = await connect(ada, row, adaToken);
    await setRow(hub.deps, root.actor, row, {
      values: { base_url: "https://evil.example.net/v1" },
    });
    await expect(call(ada, row)).rejects.toMatchObject({
      code: "needs_account",
      message: expect.stringContaining("https://evil.example.net"),
    });
    const { accounts } = await listAccounts(hub.deps, ada.caller);
    expect(accounts.find((account) => account.id === id)?.problem).toContain("evil.example.net");
    const stale = changeAccount(hub.deps, ada, id, { values: { token: adaToken }, hosts });
    await expect(stale).rejects.toMatchObject({ code: "conflict" });
    const shown = ["https://evil.example.net"];
    await changeAccount(hub.deps, ada, id, { values: { token: adaToken }, hosts: shown });
    expect((await call(ada, row)).chars).toBe(adaToken.length);
  });

  test("Another path of the same host changes nothing", async () => {
    const row = await makeRow("own");
    await connect(ada, row, adaToken);
    await setRow(hub.deps, root.actor, row, {
      values: { base_url: "https://mail.example.com/v2" },
    });
    expect((await call(ada, row)).chars).toBe(adaToken.length);
  });

  test("A form that was shown other hosts stores nothing", async () => {
    const row = await makeRow("own");
    const given = { row, values: { token: adaToken }, hosts: ["https://other.example.com"] };
    await expect(addAccount(hub.deps, ada, given)).rejects.toMatchObject({ code: "conflict" });
    expect(
      (await listAccounts(hub.deps, ada.caller)).accounts.some((one) => one.row_id === row),
    ).toBe(false);
  });

  test("A connector of another publisher gets no account", async () => {
    const row = await makeRow("own");
    await connect(ada, row, adaToken);
    await runSql(hub.deps.store.db, "update user_accounts set publisher = 'plugin mailbox abc'");
    await expect(call(ada, row)).rejects.toMatchObject({ code: "needs_account" });
  });
});

/** Protects: "else shared" never raises a right. */
describe("A row with own accounts, else the shared one", () => {
  test("The shared one is for users who never connected an own one", async () => {
    const row = await makeRow("own_else_shared", { token: sharedToken });
    expect((await call(ada, row)).chars).toBe(sharedToken.length);
    expect((await newestRun())?.account).toBe("shared");
    const { id } = await connect(ada, row, adaToken);
    expect((await call(ada, row)).chars).toBe(adaToken.length);
    await setRow(hub.deps, root.actor, row, { values: { base_url: "https://new.example.com" } });
    await expect(call(ada, row)).rejects.toMatchObject({ code: "needs_account" });
    await removeAccount(hub.deps, ada, id);
    await expect(call(ada, row)).rejects.toMatchObject({ code: "needs_account" });
    expect((await call(eva, row)).chars).toBe(sharedToken.length);
  });
});

describe("A run of a workflow", () => {
  test.each([
    ["its owner started by hand uses the account", "ada@example.com", true],
    ["a webhook started does not", "webhook 1", false],
    ["another user started does not", "eva@example.com", false],
  ])("that %s", async (_, startedBy, uses) => {
    const row = await makeRow("own", { token: sharedToken });
    await connect(ada, row, adaToken);
    const called = call(ada, row, { startedBy });
    if (uses) expect((await called).chars).toBe(adaToken.length);
    else await expect(called).rejects.toMatchObject({ code: "needs_account" });
  });

  test("that a schedule started uses the shared access only if the owner never had an own account", async () => {
    const row = await makeRow("own_else_shared", { token: sharedToken });
    expect((await call(ada, row, { cron: true })).chars).toBe(sharedToken.length);
    await connect(ada, row, adaToken);
    await expect(call(ada, row, { cron: true })).rejects.toMatchObject({ code: "needs_account" });
  });
});

describe("Accounts end", () => {
  test("with their row", async () => {
    const row = await makeRow("own");
    await connect(ada, row, adaToken);
    await deleteRow(hub.deps, root.actor, row);
    const { accounts } = await listAccounts(hub.deps, ada.caller);
    expect(accounts.filter((account) => account.row_id === row)).toEqual([]);
  });
});

test("After a rotation of the keys an account opens, sealed with the new key", async () => {
  const row = await makeRow("own");
  await connect(ada, row, adaToken);
  const before = await readSealed(row);
  await rotateKeys(hub.deps, root.actor);
  expect(await readSealed(row)).not.toEqual(before);
  expect((await call(ada, row)).chars).toBe(adaToken.length);
});

test("An account that another process sealed with a new key is opened", async () => {
  const row = await makeRow("own");
  const { ring } = hub.deps;
  const { current, reload } = ring;
  const former = current();
  await rotateKeys(hub.deps, root.actor);
  await connect(ada, row, adaToken);
  await call(ada, row);
  await connect(eva, row, evaToken);
  // Until it reads the keys again, this process has the former ones.
  ring.current = () => former;
  ring.reload = () => {
    Object.assign(ring, { current, reload });
    return reload();
  };
  try {
    expect((await call(eva, row)).chars).toBe(evaToken.length);
  } finally {
    Object.assign(ring, { current, reload });
  }
});

async function readSealed(row: string) {
  const owner = { userId: ada.caller.userId, rowId: row };
  const { accounts } = await readOwnAccounts(hub.deps.store.db, owner);
  return accounts[0]?.sealed;
}

test("What is kept of a row that was hidden since does not name it", async () => {
  const row = await makeRow("own");
  const { id } = await connect(ada, row, adaToken);
  await runSql(
    hub.deps.store.db,
    "insert into account_endings select ?, user_id, row_id, 'Mail own', sealed, 0, 0, null, 0 from user_accounts where id = ?",
    crypto.randomUUID(),
    id,
  );
  const list = async () => {
    const { accounts, endings } = await listAccounts(hub.deps, ada.caller);
    const account = accounts.find((one) => one.id === id);
    return [account?.row_label, ...endings.map((ending) => ending.row_label)];
  };
  expect(await list()).toEqual(["Mail own", "Mail own"]);
  await setRow(hub.deps, root.actor, row, { tags: ["others"] });
  expect(await list()).toEqual(["", ""]);
});
