import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stampChange } from "../../changes/record-change.ts";
import { listChanges } from "../../store/changes-table.ts";
import { transaction } from "../../store/database/database.ts";
import type { Store } from "../../store/store.ts";
import { newUser } from "../../store/test-data.ts";
import { openTestStore } from "../../store/testing/open-test-store.ts";
import {
  type GroupLine,
  listGroupLines,
  replaceGroupLines,
} from "../../store/users/group-lines-table.ts";
import {
  type GroupSource,
  listGroupReads,
  listUsersToApply,
} from "../../store/users/user-groups-table.ts";
import { findUserOrigins } from "../../store/users/user-origins.ts";
import {
  findUserById,
  insertUser,
  setUserTags,
  updateUser,
} from "../../store/users/users-table.ts";
import { hubActor } from "../local-admin.ts";
import { applyGroups, reapplyGroups, recordGroupsProblem } from "./apply-groups.ts";
import { applyLines } from "./apply-lines.ts";

let dataDir: string;
let store: Store;
let at: number;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hub-groups-"));
  store = await openTestStore({ dataDir });
  at = 1_000_000;
});
afterEach(async () => {
  await store.close();
  await rm(dataDir, { recursive: true });
});

async function setLines(...given: Array<Partial<GroupLine> & { pattern: string }>): Promise<void> {
  const { revision } = await listGroupLines(store.db);
  const lines = given.map((line) => ({
    id: crypto.randomUUID(),
    source: "any" as const,
    isPattern: line.pattern.includes("*"),
    tags: [],
    tagStart: null,
    role: "user" as const,
    adminByScim: false,
    ...line,
  }));
  await transaction(store.db, (trx) => replaceGroupLines(trx, lines, revision));
}

function apply(userId: string, names: string[], source: GroupSource = "sso", isRefused = false) {
  const stamp = stampChange(hubActor, at);
  return transaction(store.db, (trx) =>
    applyGroups(trx, { userId, source, names, isRefused }, stamp),
  );
}

const addUser = (given: Parameters<typeof newUser>[0] = {}) =>
  insertUser(store.db, newUser({ email: `${crypto.randomUUID()}@example.com`, ...given }));
const tagsOf = async (id: string) => (await findUserById(store.db, id))?.tags;

test("A tag given by a group goes with the group, and one given by hand or by both stays", async () => {
  await setLines({ pattern: "eng", tags: ["code", "both"] });
  const { id } = await addUser({ tags: ["hand", "both"] });
  await apply(id, ["eng"]);
  expect(await tagsOf(id)).toEqual(["both", "code", "hand"]);
  await apply(id, []);
  expect(await tagsOf(id)).toEqual(["both", "hand"]);
  await apply(id, ["eng"]);
  await setUserTags(store.db, id, ["code"], at);
  expect(await findUserOrigins(store.db, id)).toMatchObject({
    handTags: [],
    groupTags: ["both", "code"],
  });
  await setUserTags(store.db, id, ["code"], at, ["code"]);
  await apply(id, []);
  expect(await tagsOf(id)).toEqual(["code"]);
});

test("The groups of several sources are united, and each source changes only its own", async () => {
  await setLines({ pattern: "a", tags: ["t"] }, { pattern: "b", tags: ["u"] });
  const { id } = await addUser();
  await apply(id, ["a"]);
  await apply(id, ["a", "b"], "scim:1");
  await apply(id, [], "sso");
  expect(await tagsOf(id)).toEqual(["t", "u"]);
  await apply(id, ["b"], "scim:1");
  expect(await tagsOf(id)).toEqual(["u"]);
});

test("A refused user is disabled with their sessions, and becomes active with the group alone", async () => {
  await setLines({ pattern: "out", role: "none" });
  const { id } = await addUser();
  await addUser({ role: "admin" });
  expect(await apply(id, ["out"])).toMatchObject({ status: "disabled" });
  expect(await findUserOrigins(store.db, id)).toMatchObject({ disabledBy: "groups" });
  expect(await apply(id, [])).toMatchObject({ status: "active" });
  expect(await apply(id, [], "sso", true)).toMatchObject({ status: "disabled" });
  expect(await apply(id, [], "sso", false)).toMatchObject({ status: "active" });
  await updateUser(store.db, id, { status: "disabled" }, at);
  expect(await apply(id, ["new"])).toMatchObject({ status: "disabled" });
});

test("Groups that take the role from two admins at once leave one of them", async () => {
  await setLines({ pattern: "root", role: "admin" });
  const admins = await Promise.all([addUser(), addUser()]);
  for (const { id } of admins) await apply(id, ["root"]);
  await Promise.all(admins.map(({ id }) => apply(id, [])));
  const roles = await Promise.all(
    admins.map(async ({ id }) => (await findUserById(store.db, id))?.role),
  );
  expect(roles.toSorted()).toEqual(["admin", "user"]);
});

const roleOf = async (id: string) => (await findUserById(store.db, id))?.role;

test("The last admin, kept although groups took the role, loses it once groups make another one", async () => {
  await setLines({ pattern: "root", role: "admin" });
  const [kept, next] = [await addUser(), await addUser()];
  await apply(kept.id, ["root"]);
  expect(await apply(kept.id, [])).toMatchObject({ role: "admin" });
  expect(await apply(next.id, ["root"])).toMatchObject({ role: "admin" });
  expect([await roleOf(kept.id), await roleOf(next.id)]).toEqual(["user", "admin"]);
  const changes = await listChanges(store.db, { limit: 10 });
  const ofKept = changes.filter(({ target }) => target === kept.email);
  expect(ofKept.map(({ action, via }) => [action, via])).toEqual(
    Array(2).fill(["user.groups", "hub"]),
  );
  for (const { id } of changes) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
});

test("The last admin, kept although a group refuses, is refused once there is another one", async () => {
  await setLines({ pattern: "out", role: "none" }, { pattern: "root", role: "admin" });
  const kept = await addUser({ role: "admin" });
  expect(await apply(kept.id, ["out"])).toMatchObject({ role: "admin", status: "active" });
  await apply((await addUser()).id, ["root"]);
  expect(await findUserById(store.db, kept.id)).toMatchObject({ status: "disabled" });
});

test("A problem changes nothing, is kept with the groups, and ends with the next read", async () => {
  await setLines({ pattern: "eng", tags: ["code"] });
  const { id } = await addUser();
  await apply(id, ["eng"]);
  const problem = { userId: id, source: "sso", problem: "overage" } as const;
  await transaction(store.db, (trx) => recordGroupsProblem(trx, problem, at + 5));
  expect(await tagsOf(id)).toEqual(["code"]);
  expect(await listGroupReads(store.db, id)).toMatchObject([
    { names: ["eng"], readAt: at, problem: "overage", problemAt: at + 5 },
  ]);
  at += 10;
  await apply(id, ["eng"]);
  expect(await listGroupReads(store.db, id)).toMatchObject([{ problem: null, readAt: at }]);
});

test("Changed lines are applied to the groups that are stored", async () => {
  await setLines({ pattern: "eng", tags: ["code"] });
  const { id } = await addUser();
  await apply(id, ["eng"]);
  await setLines({ pattern: "eng", tags: ["other"] });
  const { revision } = await listGroupLines(store.db);
  expect(await listUsersToApply(store.db, { revision, limit: 10 })).toEqual([id]);
  await transaction(store.db, (trx) => reapplyGroups(trx, id, stampChange(hubActor, at)));
  expect(await tagsOf(id)).toEqual(["other"]);
  expect(await listUsersToApply(store.db, { revision, limit: 10 })).toEqual([]);
});

test("Lines that were read for many users are used while they are the present ones", async () => {
  await setLines({ pattern: "eng", tags: ["code"] });
  const { id } = await addUser();
  await apply(id, ["eng"]);
  const known = await listGroupLines(store.db);
  const marked = { ...known, lines: known.lines.map((line) => ({ ...line, tags: ["marked"] })) };
  const reapply = () =>
    transaction(store.db, (trx) => reapplyGroups(trx, id, stampChange(hubActor, at), marked));
  await reapply();
  expect(await tagsOf(id)).toEqual(["marked"]);
  await setLines({ pattern: "eng", tags: ["later"] });
  await reapply();
  expect(await tagsOf(id)).toEqual(["later"]);
});

test("Other work gets a turn after each user to whom lines are applied", async () => {
  const users = 8;
  await setLines({ pattern: "eng", tags: ["code"] });
  const added = await Promise.all(Array.from({ length: users }, () => addUser()));
  for (const { id } of added) await apply(id, ["eng"]);
  await setLines({ pattern: "eng", tags: ["other"] });
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  expect(await applyLines({ db: store.db, now: () => at })).toBe(users);
  isOver = true;
  expect(turns).toBeGreaterThanOrEqual(users);
  expect(await tagsOf(added[0]?.id ?? "")).toEqual(["other"]);
});

test("What groups change is recorded once, and a read that confirms them is not", async () => {
  await setLines({ pattern: "eng", tags: ["code"] });
  const { id, email } = await addUser();
  await apply(id, ["eng"]);
  await apply(id, ["eng", "unknown"]);
  const changes = await listChanges(store.db, { limit: 10 });
  expect(changes).toMatchObject([{ action: "user.groups", target: email, via: "hub" }]);
  expect(JSON.parse(changes[0]?.detail ?? "")).toEqual({ tags: { from: [], to: ["code"] } });
});

test("Lines that were changed meanwhile are not overwritten", async () => {
  await setLines({ pattern: "a" });
  const stale = transaction(store.db, (trx) => replaceGroupLines(trx, [], 0));
  await expect(stale).rejects.toMatchObject({ code: "conflict" });
});
