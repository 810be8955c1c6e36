import { afterEach, beforeEach, expect, test } from "bun:test";
import { hashToken } from "../../identity/authenticate-bearer.ts";
import { putSetting } from "../../store/settings/settings-table.ts";
import { conflictOnce } from "../../store/testing/conflict-once.ts";
import { openTestStore } from "../../store/testing/open-test-store.ts";
import { runSql } from "../../store/testing/run-sql.ts";
import { findPassword } from "../../store/users/passwords-table.ts";
import { openTestServices } from "../testing/open-test-services.ts";
import { makeFirstAdmin } from "./first-admin.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
beforeEach(async () => {
  // The first admin is made once, although the transaction runs twice.
  hub = await openTestServices({}, { toDb: conflictOnce });
});
afterEach(() => hub.close());

test("The first start makes an admin whose token works", async () => {
  const made = await makeFirstAdmin(hub.deps);
  expect(made?.email).toBe("admin@localhost");
  const owner = await hub.deps.store.reads.findTokenOwner(hashToken(made?.token ?? ""));
  // Users paste it into clients, which must not manage the hub.
  expect(owner?.scope).toBe("mcp");
  expect(owner).toMatchObject({ email: "admin@localhost", role: "admin", status: "active" });
});

test("The first admin and its token are recorded, without token and password", async () => {
  const made = await makeFirstAdmin(hub.deps);
  const changes = await hub.admin.changes.list({});
  const { id, email } = await hub.admin.users.show("admin@localhost");
  expect(changes).toMatchObject([
    { action: "token.create", target: "first start", detail: { user: email, scope: "mcp" } },
    { action: "user.create", target_id: id, target: email, detail: { role: "admin", tags: [] } },
  ]);
  for (const change of changes) {
    expect(change).toMatchObject({ actor: "local-admin", via: "command line" });
  }
  const text = JSON.stringify(changes);
  for (const secret of [made?.token ?? "", made?.one_time_password ?? ""]) {
    expect(text).not.toContain(secret);
  }
});

test("A first admin that cannot be recorded is not made", async () => {
  const { db } = hub.deps.store;
  await runSql(
    db,
    `create trigger refuse before insert on changes
    begin select raise(abort, 'disk full'); end`,
  );
  await expect(makeFirstAdmin(hub.deps)).rejects.toThrow("disk full");
  expect(await hub.admin.users.list()).toEqual([]);
  await runSql(db, "drop trigger refuse");
  expect(await makeFirstAdmin(hub.deps)).not.toBeNull();
});

test("A second start makes no admin, even if the first one was deleted", async () => {
  await makeFirstAdmin(hub.deps);
  await runSql(hub.deps.store.db, "delete from users");
  expect(await makeFirstAdmin(hub.deps)).toBeNull();
  expect(await hub.admin.users.list()).toEqual([]);
});

test("If two processes start at once, only one makes the admin", async () => {
  const other = await openTestStore({ dataDir: hub.dataDir });
  try {
    const made = await Promise.all([
      makeFirstAdmin(hub.deps),
      makeFirstAdmin({ ...hub.deps, store: other }),
    ]);
    expect(made.filter((admin) => admin !== null)).toHaveLength(1);
    expect(await hub.admin.users.list()).toHaveLength(1);
  } finally {
    await other.close();
  }
});

test("The first start makes no admin if one exists already", async () => {
  await hub.admin.users.add({ email: "ada@example.com", role: "admin" });
  expect(await makeFirstAdmin(hub.deps)).toBeNull();
});

test("A data folder of an older hub gets no second admin", async () => {
  await putSetting(hub.deps.store.db, "first_start_done", "1");
  expect(await makeFirstAdmin(hub.deps)).toBeNull();
});

test("The first admin must change the password, and the token only gives access to MCP", async () => {
  const made = await makeFirstAdmin(hub.deps);
  const { db } = hub.deps.store;
  const user = await hub.admin.users.show("admin@localhost");
  const stored = await findPassword(db, user.id);
  expect(stored).toMatchObject({ mustChange: true });
  expect(await Bun.password.verify(made?.one_time_password ?? "", stored?.hash ?? "")).toBeTrue();
  expect(await hub.admin.tokens.list()).toMatchObject([{ name: "first start", scope: "mcp" }]);
});
