import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createSignInThrottle } from "../identity/sign-in-throttle.ts";
import { openSession } from "../identity/testing/open-test-session.ts";
import { readKeyFile } from "../store/data-folder/key-file.ts";
import { insertOAuthGrant } from "../store/oauth/oauth-grants.ts";
import { newToken } from "../store/test-data.ts";
import { conflictOnce } from "../store/testing/conflict-once.ts";
import { runSql } from "../store/testing/run-sql.ts";
import { insertIdentity } from "../store/users/identities-table.ts";
import { insertToken } from "../store/users/tokens-table.ts";
import { actAs } from "./testing/act-as.ts";
import { openTestServices } from "./testing/open-test-services.ts";

const secret = "s3cret-of-the-row";
const ada = {
  userId: "0191f5a0-0000-7000-8000-00000000ada0",
  email: "ada@example.com",
  tokenId: "t1",
  via: "session",
  ip: "192.0.2.7",
} as const;

let opened: Awaited<ReturnType<typeof openTestServices>>;
let adaActs: ReturnType<typeof actAs>;

beforeAll(async () => {
  // Each change is recorded once, although its transaction runs twice.
  opened = await openTestServices({}, { toDb: conflictOnce });
  adaActs = actAs(opened.deps, ada);
  await opened.admin.users.add({ email: "root@example.com", role: "admin" });
});
afterAll(() => opened.close());

const listActions = async () =>
  (await adaActs.changes.list({ actorId: ada.userId, limit: 1000 })).map((c) => c.action);

describe("the record of changes", () => {
  test("The record of changes has one entry for each change, with its author", async () => {
    const values = { token: secret, base_url: "https://tracker.example" };
    const row = await adaActs.rows.add({ connector: "tracker", label: "Bugs", values });
    await adaActs.rows.set(row.id, {
      label: "Faults",
      tags: ["red"],
      values: { token: `${secret}2` },
    });
    await adaActs.rows.disable(row.id);
    await adaActs.rows.enable(row.id);
    await adaActs.operations.disable(row.id, "read");
    await adaActs.types.disable("tracker");
    await adaActs.types.enable("tracker");
    const user = await adaActs.users.add({ email: "bob@example.com" });
    await adaActs.users.set(user.email, { role: "admin", addTags: ["red"] });
    await adaActs.users.disable(user.email);
    await adaActs.users.enable(user.email);
    const token = await adaActs.tokens.create({ user: user.email, name: "laptop" });
    await adaActs.tokens.revoke(token.id);
    await adaActs.keys.rotate();
    await adaActs.rows.delete(row.id);
    // Reads record nothing.
    await adaActs.rows.list();
    await adaActs.users.show(user.email);

    expect((await listActions()).reverse()).toEqual([
      "row.create",
      "row.update",
      "row.disable",
      "row.enable",
      "operation.disable",
      "connector.disable",
      "connector.enable",
      "user.create",
      "user.update",
      "user.disable",
      "user.enable",
      "token.create",
      "token.revoke",
      "keys.rotate",
      "row.delete",
    ]);
    const changes = await adaActs.changes.list({ actorId: ada.userId, limit: 1000 });
    for (const change of changes) {
      expect(change).toMatchObject({ actor: ada.email, via: "session", ip_address: ada.ip });
    }
    const update = changes.find(({ action }) => action === "row.update");
    expect(update).toMatchObject({
      target: "Bugs",
      detail: {
        label: { from: "Bugs", to: "Faults" },
        tags: { from: [], to: ["red"] },
        fields: ["token"],
      },
    });
    expect(JSON.stringify(changes)).not.toContain(secret);
    expect(JSON.stringify(changes)).not.toContain(token.token);
  });

  test("The record of changes has no entry for a failed change", async () => {
    const before = await listActions();
    await expect(adaActs.users.add({ email: "bob@example.com" })).rejects.toThrow(
      "is already a user",
    );
    await expect(adaActs.rows.add({ connector: "tracker", label: "" })).rejects.toThrow();
    await expect(adaActs.types.disable("nothing")).rejects.toThrow();
    expect(await listActions()).toEqual(before);
  });

  test("The record of changes can be filtered by target and author, and paged", async () => {
    const [newest] = await adaActs.changes.list({ limit: 1 });
    const older = await adaActs.changes.list({
      actorId: ada.userId,
      before: newest?.id,
      limit: 1000,
    });
    expect(older).toHaveLength((await listActions()).length - 1);
    const ofRow = await adaActs.changes.list({ targetKind: "row", targetId: newest?.target_id });
    expect(ofRow.map(({ action }) => action)).toEqual([
      "row.delete",
      "operation.disable",
      "row.enable",
      "row.disable",
      "row.update",
      "row.create",
    ]);
    expect(await adaActs.changes.list({ actorId: "nobody" })).toEqual([]);
  });
});

describe("each change is recorded once, with action, target and detail", () => {
  /** What the work records, oldest first. */
  async function recordsOf(work: () => Promise<unknown>) {
    const [before] = await adaActs.changes.list({ limit: 1 });
    await work();
    const changes = await adaActs.changes.list({ limit: 1000 });
    const end = changes.findIndex(({ id }) => id === before?.id);
    return changes
      .slice(0, end === -1 ? changes.length : end)
      .reverse()
      .map(({ action, target_kind, target_id, target, detail }) => [
        action,
        target_kind,
        target_id,
        target,
        detail,
      ]);
  }

  let userCount = 0;
  const addUser = () => {
    userCount += 1;
    return adaActs.users.add({ email: `person-${userCount}@example.com` });
  };

  test("Changes of a user's role, name, tags, status and password are recorded", async () => {
    const { id, email } = await addUser();
    const name = email.replace("@example.com", "");
    const { users } = adaActs;
    const records = await recordsOf(async () => {
      await users.set(email, { role: "admin" });
      await users.set(email, { role: "user", name: "Bob", addTags: ["red"] });
      await users.disable(email);
      await users.enable(email);
      await users.setOneTimePassword(email);
    });
    const target = ["user", id, email];
    expect(records).toEqual([
      ["user.update", ...target, { role: { from: "user", to: "admin" } }],
      [
        "user.update",
        ...target,
        {
          role: { from: "admin", to: "user" },
          name: { from: name, to: "Bob" },
          tags: { from: [], to: ["red"] },
        },
      ],
      ["user.disable", ...target, {}],
      ["user.enable", ...target, {}],
      ["user.password", ...target, {}],
    ]);
  });

  test("A new user is recorded with role and tags", async () => {
    const input = { email: "new@example.com", role: "admin", tags: ["red"] } as const;
    const records = await recordsOf(() => adaActs.users.add({ ...input, tags: [...input.tags] }));
    const { id } = await adaActs.users.show(input.email);
    const detail = { role: "admin", tags: ["red"] };
    expect(records).toEqual([["user.create", "user", id, input.email, detail]]);
  });

  test("The end of one session is recorded, and the end of all sessions of a user with their number", async () => {
    const user = await addUser();
    const { store } = opened.deps;
    const one = await openSession(store, { userId: user.id });
    await openSession(store, { userId: user.id });
    const other = await openSession(store, { userId: user.id });
    const records = await recordsOf(async () => {
      await adaActs.sessions.end(one.id);
      await adaActs.sessions.endAll(user.email, { except: other.id });
    });
    expect(records).toEqual([
      ["session.end", "session", one.id, user.email, {}],
      ["session.end_all", "user", user.id, user.email, { ended: 1 }],
    ]);
  });

  test("An unlinked account of a provider is recorded with its issuer", async () => {
    const user = await addUser();
    const issuer = "https://id.example.com";
    const account = { id: "i1", userId: user.id, issuer, subject: "s1", email: user.email };
    await insertIdentity(opened.deps.store.db, { ...account, createdAt: 1, lastUsedAt: 1 });
    const records = await recordsOf(() => adaActs.identities.unlink(user.email));
    expect(records).toEqual([["user.unlink", "user", user.id, user.email, { issuers: [issuer] }]]);
  });

  test("A revoked application is recorded with its user", async () => {
    const user = await addUser();
    const id = crypto.randomUUID();
    await insertOAuthGrant(opened.deps.store.db, {
      id,
      userId: user.id,
      clientId: "desk",
      clientName: "Desk",
      scope: "mcp",
      redirectUri: "http://127.0.0.1:4000/callback",
      resource: "https://hub.example/mcp",
      createdAt: Date.now(),
      expiresAt: Date.now() + 3_600_000,
    });
    const records = await recordsOf(() => adaActs.applications.revoke(id));
    const detail = { user: user.email };
    expect(records).toEqual([["application.revoke", "application", id, "Desk", detail]]);
  });

  test("New and revoked tokens are recorded with their user", async () => {
    const { email } = await addUser();
    let id = "";
    const records = await recordsOf(async () => {
      id = (await adaActs.tokens.create({ user: email, name: "laptop" })).id;
      await adaActs.tokens.revoke(id);
    });
    expect(records).toEqual([
      ["token.create", "token", id, "laptop", expect.objectContaining({ user: email })],
      ["token.revoke", "token", id, "laptop", { user: email }],
    ]);
  });

  test("A rotated token is recorded with the new token and its own end, without their secrets", async () => {
    const { email } = await addUser();
    const { id, token } = await adaActs.tokens.create({ user: email, name: "laptop" });
    let made = { id: "", token: "" };
    const records = await recordsOf(async () => {
      made = await adaActs.tokens.rotate(id);
    });
    const detail = { user: email, scope: "mcp", new_token: made.id, ends_at: expect.any(String) };
    expect(records).toEqual([["token.rotate", "token", id, "laptop", detail]]);
    expect(JSON.stringify(records)).not.toContain(made.token.slice(-32));
    expect(JSON.stringify(records)).not.toContain(token.slice(-32));
  });

  test("A new key and a removed key are recorded", async () => {
    const old = (await adaActs.keys.list()).keys.find(({ sealing }) => sealing)?.id ?? "";
    let made = "";
    const records = await recordsOf(async () => {
      made = (await adaActs.keys.rotate()).sealing;
      await adaActs.keys.remove(old);
    });
    expect(records).toEqual([
      ["keys.rotate", "keys", made, made, {}],
      ["keys.remove", "keys", old, old, {}],
    ]);
  });

  test("A stored and a deleted setting are recorded with the values before and after", async () => {
    const name = "HUB_AUDIT_RETENTION_DAYS";
    const records = await recordsOf(async () => {
      await adaActs.settings.set(name, "30");
      await adaActs.settings.reset(name);
    });
    expect(records).toEqual([
      ["setting.update", "setting", name, name, { from: "7", to: "30" }],
      ["setting.reset", "setting", name, name, { from: "30", to: "7" }],
    ]);
  });

  test("Changes of a row, its copy, its state and its operations are recorded", async () => {
    let [id, copy] = ["", ""];
    const records = await recordsOf(async () => {
      id = (await adaActs.rows.add({ connector: "tracker", label: "Bugs", tags: ["red"] })).id;
      copy = (await adaActs.rows.duplicate(id, { label: "Copy" })).id;
      await adaActs.rows.disable(id);
      await adaActs.rows.enable(id);
      await adaActs.operations.disable(id, "read");
      await adaActs.operations.enable(id, "read");
      await adaActs.rows.delete(copy);
    });
    expect(records).toEqual([
      ["row.create", "row", id, "Bugs", { connector: "tracker", tags: ["red"], fields: [] }],
      ["row.create", "row", copy, "Copy", { connector: "tracker", copy_of: id }],
      ["row.disable", "row", id, "Bugs", {}],
      ["row.enable", "row", id, "Bugs", {}],
      ["operation.disable", "row", id, "Bugs", { operation: "read" }],
      ["operation.enable", "row", id, "Bugs", { operation: "read" }],
      ["row.delete", "row", copy, "Copy", { connector: "tracker" }],
    ]);
  });

  test("A disabled and an enabled connector type are recorded", async () => {
    const records = await recordsOf(async () => {
      await adaActs.types.disable("tracker");
      await adaActs.types.enable("tracker");
    });
    expect(records).toEqual([
      ["connector.disable", "connector", "tracker", "Tracker", {}],
      ["connector.enable", "connector", "tracker", "Tracker", {}],
    ]);
  });
});

describe("a change of which one write fails is refused and changes nothing", () => {
  const issuer = "https://id.example.com";
  let at: {
    row: string;
    email: string;
    token: string;
    session: string;
    grant: string;
    key: string;
  };
  beforeAll(async () => {
    const { db } = opened.deps.store;
    const { id: userId, email } = await adaActs.users.add({
      email: "kept@example.com",
      tags: ["blue"],
    });
    const times = { createdAt: Date.now(), expiresAt: Date.now() + 3_600_000 };
    const grant = crypto.randomUUID();
    await insertOAuthGrant(db, {
      id: grant,
      userId,
      clientId: "desk",
      clientName: "Desk",
      scope: "mcp",
      ...times,
      redirectUri: "http://127.0.0.1:4000/callback",
      resource: "https://hub.example/mcp",
    });
    const account = { id: "i2", userId, issuer, subject: "s2", email };
    await insertIdentity(db, { ...account, createdAt: 1, lastUsedAt: 1 });
    at = {
      email,
      grant,
      session: (await openSession({ db }, { userId })).id,
      row: (
        await adaActs.rows.add({
          connector: "tracker",
          label: "Kept",
          values: { token: secret, base_url: "https://tracker.example" },
        })
      ).id,
      token: (await adaActs.tokens.create({ user: email, name: "laptop" })).id,
      key: (await adaActs.keys.list()).keys.find(({ sealing }) => sealing)?.id ?? "",
    };
    await adaActs.rows.set(at.row, { tags: ["blue"] });
    await adaActs.operations.disable(at.row, "widget");
    await adaActs.keys.rotate();
    await adaActs.settings.set("HUB_AUDIT_RETENTION_DAYS", "30");
    // A new token deletes the oldest of so many ended ones.
    for (let seed = 0; seed < 51; seed++) {
      await insertToken(db, newToken(userId, seed, { expiresAt: 1 }));
    }
    const attempt = { account: email, address: "192.0.2.9" };
    await createSignInThrottle({ db, now: Date.now }).begin(attempt);
  });

  /** The whole database, and the keys. */
  async function readAll(): Promise<string> {
    const { db } = opened.deps.store;
    const tables = await runSql<{ name: string }>(
      db,
      `select name from sqlite_master
      where type = 'table' and name not in ('changes', 'revision') order by name`,
    );
    const contents: unknown[] = [await readKeyFile(opened.dataDir)];
    for (const { name } of tables) {
      contents.push([name, await runSql(db, `select * from ${name}`)]);
    }
    return JSON.stringify(contents);
  }

  /** Each change, with its writes besides that of its record. */
  const changes: [action: string, change: () => Promise<unknown>, writes: string[]][] = [
    [
      "row.create",
      () => adaActs.rows.add({ connector: "tracker", label: "New", values: { token: secret } }),
      ["insert on connector_rows", "insert on row_values"],
    ],
    [
      "row.create of a copy",
      () => adaActs.rows.duplicate(at.row),
      [
        ...["insert on connector_rows", "insert on row_values", "insert on row_tags"],
        ...["insert on operation_states", "update of disabled on connector_rows"],
      ],
    ],
    [
      "row.update",
      () =>
        adaActs.rows.set(at.row, {
          label: "Other",
          tags: ["red"],
          values: { token: "another", base_url: "" },
        }),
      [
        ...["update of label on connector_rows", "delete on row_tags", "insert on row_tags"],
        ...["update on row_values", "delete on row_values"],
      ],
    ],
    ["row.disable", () => adaActs.rows.disable(at.row), ["update of disabled on connector_rows"]],
    ["row.delete", () => adaActs.rows.delete(at.row), ["delete on connector_rows"]],
    [
      "operation.disable",
      () => adaActs.operations.disable(at.row, "read"),
      ["insert on operation_states"],
    ],
    ["connector.disable", () => adaActs.types.disable("tracker"), ["update on type_states"]],
    [
      "user.create",
      () => adaActs.users.add({ email: "new-one@example.com", tags: ["red"] }),
      ["insert on users", "insert on user_tags"],
    ],
    [
      "user.update",
      () => adaActs.users.set(at.email, { role: "admin", addTags: ["red"] }),
      ["update on users", "delete on user_tags", "insert on user_tags"],
    ],
    [
      "user.disable",
      () => adaActs.users.disable(at.email),
      ["update of status on users", "delete on sessions"],
    ],
    [
      "user.password",
      () => adaActs.users.setOneTimePassword(at.email),
      ["update on users", "delete on sessions", "delete on sign_in_counters"],
    ],
    ["user.unlock", () => adaActs.users.unlock(at.email), ["delete on sign_in_counters"]],
    [
      "user.unlink",
      () => adaActs.identities.unlink(at.email),
      ["delete on identities", "delete on sessions"],
    ],
    ["session.end", () => adaActs.sessions.end(at.session), ["delete on sessions"]],
    ["session.end_all", () => adaActs.sessions.endAll(at.email), ["delete on sessions"]],
    [
      "token.create",
      () => adaActs.tokens.create({ user: at.email, name: "other" }),
      ["insert on personal_access_tokens", "delete on personal_access_tokens"],
    ],
    [
      "token.rotate",
      () => adaActs.tokens.rotate(at.token, { overlapHours: 0 }),
      ["update on personal_access_tokens", "insert on personal_access_tokens"],
    ],
    ["token.revoke", () => adaActs.tokens.revoke(at.token), ["update on personal_access_tokens"]],
    ["application.revoke", () => adaActs.applications.revoke(at.grant), ["delete on oauth_grants"]],
    [
      "setting.update",
      () => adaActs.settings.set("HUB_AUDIT_RETENTION_DAYS", "31"),
      ["update on settings"],
    ],
    [
      "setting.reset",
      () => adaActs.settings.reset("HUB_AUDIT_RETENTION_DAYS"),
      ["delete on settings"],
    ],
    ["keys.rotate", () => adaActs.keys.rotate(), ["update on row_values"]],
    ["keys.remove", () => adaActs.keys.remove(at.key), ["update on settings"]],
  ];
  const failures = changes.flatMap(([action, change, writes]) =>
    [
      ...writes,
      "insert on changes",
      // The others are read from the database in every request, so no snapshot has them.
      ...(/^(session|token|application|user\.(password|unlink|unlock))/.test(action)
        ? []
        : ["update on revision"]),
    ].map((write) => ({ action, write, change })),
  );
  test.each(failures)("$action is undone if its $write fails", async ({ write, change }) => {
    const { db } = opened.deps.store;
    const before = await readAll();
    await runSql(
      db,
      `create trigger full_disk before ${write} begin select raise(abort, 'disk full'); end`,
    );
    try {
      await expect(change()).rejects.toThrow("disk full");
    } finally {
      await runSql(db, "drop trigger full_disk");
    }
    expect(await readAll()).toBe(before);
  });
});
