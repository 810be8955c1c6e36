import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Actor } from "../../changes/actor.ts";
import { stampChange } from "../../changes/record-change.ts";
import { applyGroups } from "../../identity/groups/apply-groups.ts";
import { applyLines } from "../../identity/groups/apply-lines.ts";
import { commandLineActor, hubActor } from "../../identity/local-admin.ts";
import { transaction } from "../../store/database/database.ts";
import { listenTo } from "../../store/testing/listen-to.ts";
import { setHandRole } from "../../store/users/user-origins.ts";
import { openTestServices } from "../testing/open-test-services.ts";
import { addUser } from "../users/add-user.ts";
import { disableUser, enableUser, listUsers, setUser, showUser } from "../users/manage-users.ts";
import { deleteGroupLine, setGroupLine } from "./change-group-line.ts";
import { replaceLines, setGroups, showGroups } from "./manage-groups.ts";
import { showUserGroups } from "./show-user-groups.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
beforeAll(async () => {
  hub = await openTestServices();
});
afterAll(() => hub.close());

const set = async (
  lines: Parameters<typeof setGroups>[2]["lines"],
  actor: Actor = commandLineActor,
) => setGroups(hub.deps, actor, { revision: (await showGroups(hub.deps)).revision, lines });

async function addMember(names: string[], { deps }: Pick<typeof hub, "deps"> = hub) {
  const email = `${crypto.randomUUID()}@example.com`;
  const { id } = await addUser(deps, commandLineActor, { email, tags: ["hand"] });
  await giveGroups(id, names, { deps });
  return id;
}

async function giveGroups(
  userId: string,
  names: string[],
  { deps }: Pick<typeof hub, "deps"> = hub,
) {
  const stamp = stampChange(hubActor, Date.now());
  const { db } = deps.store;
  await transaction(db, (trx) => applyGroups(trx, { userId, source: "sso", names }, stamp));
}

test("Lines apply at once to users whose groups are known, and say how many are in them", async () => {
  const id = await addMember(["/eng/backend", "/other"]);
  const { lines, known } = await set([
    { pattern: "/eng/*", is_pattern: true, tag_start: "Team-" },
    { pattern: "/eng/backend", tags: ["Code"] },
    { pattern: "/absent-group" },
  ]);
  expect(lines.map(({ users }) => users)).toEqual([1, 1, 0]);
  expect((await showUser(hub.deps, id)).tags).toEqual(["code", "hand", "team-backend"]);
  expect(known).toContainEqual({ name: "/other", source: "sso", users: 1, is_named: false });
  expect(await showUserGroups(hub.deps, id)).toMatchObject({
    tags_by_hand: ["hand"],
    tags_by_groups: ["code", "team-backend"],
    sources: [{ source: "sso", groups: ["/eng/backend", "/other"], problem: null }],
  });
  await set([]);
  expect((await showUser(hub.deps, id)).tags).toEqual(["hand"]);
});

test("A group is named only by a line for where it comes from", async () => {
  await addMember(["/from-sso"]);
  const isNamed = async (source: "sso" | "scim") => {
    const { known } = await set([{ pattern: "/from-*", is_pattern: true, source }]);
    return known.find(({ name }) => name === "/from-sso")?.is_named;
  };
  expect([await isNamed("scim"), await isNamed("sso")]).toEqual([false, true]);
  await set([]);
});

test("A change that stops before the last user says how many wait, and the job does the rest", async () => {
  const ids = [await addMember(["waits"]), await addMember(["waits"]), await addMember(["waits"])];
  await set([]);
  const { revision } = await showGroups(hub.deps);
  const lines = [{ pattern: "waits", tags: ["given"] }];
  await replaceLines(hub.deps, commandLineActor, { revision, lines }, 1);
  const { waiting } = await showGroups(hub.deps);
  expect(waiting).toBeGreaterThanOrEqual(2);
  expect(await applyLines({ db: hub.deps.store.db, now: Date.now })).toBe(waiting);
  expect((await showGroups(hub.deps)).waiting).toBe(0);
  for (const id of ids) expect((await showUser(hub.deps, id)).tags).toEqual(["given", "hand"]);
  await set([]);
});

test("Other work gets a turn between two lines that are counted", async () => {
  await set(["a", "b", "c", "d"].map((pattern) => ({ pattern })));
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await showGroups(hub.deps);
  isOver = true;
  expect(turns).toBeGreaterThanOrEqual(4);
  await set([]);
});

test("A change of one line counts the users of that line alone", async () => {
  await set(["a", "b", "c"].map((pattern) => ({ pattern, source: "sso" as const })));
  const { db, read } = listenTo(hub.deps.store.db);
  const deps = { ...hub.deps, store: { ...hub.deps.store, db } };
  await addMember(["b", "c"]);
  const changed = { pattern: "b", source: "sso" as const };
  expect(await setGroupLine(deps, commandLineActor, { ...changed, tags: ["x"] })).toMatchObject({
    users: 1,
  });
  const isCount = (statement: string) => statement.includes('"distinct":true');
  expect(read.filter(isCount)).toHaveLength(1);
  await deleteGroupLine(deps, commandLineActor, changed);
  expect(read.filter(isCount)).toHaveLength(2);
  await set([]);
});

test("A token changes no line, so that it cannot give its user more than it has", async () => {
  for (const via of ["token", "chat", "client"] as const) {
    const changed = set([{ pattern: "x", role: "admin" }], { ...commandLineActor, via });
    await expect(changed).rejects.toMatchObject({ code: "forbidden" });
  }
  expect((await showGroups(hub.deps)).lines).toEqual([]);
});

test.each([
  [{ pattern: "a", tags: ["everyone"] }, "cannot give the tag everyone"],
  [{ pattern: "a", tags: ["row-shop-1a2b3c4d"] }, "cannot give the tag row-shop-1a2b3c4d"],
  [{ pattern: "a*", is_pattern: true, tag_start: "row-" }, "cannot begin with"],
  [{ pattern: "a*", is_pattern: true, tag_start: "r" }, "cannot begin with"],
  [{ pattern: "a*", is_pattern: true, tag_start: "a b" }, "not a tag name"],
  [{ pattern: "a*b*", is_pattern: true, tag_start: "t-" }, "a pattern with one *"],
  [{ pattern: "a", tag_start: "t-" }, "a pattern with one *"],
  [{ pattern: "a", is_pattern: true }, "has no *"],
])("The line %j is refused", async (line, says) => {
  await expect(set([line])).rejects.toThrow(says);
});

test("Two lines for the same groups, and lines of a former revision, are refused", async () => {
  await expect(set([{ pattern: "a" }, { pattern: "a" }])).rejects.toThrow("Two lines");
  const stale = setGroups(hub.deps, commandLineActor, { revision: 0, lines: [] });
  await expect(stale).rejects.toMatchObject({ code: "conflict" });
});

test("A line is set in the place of the one for the same groups, and deleted alone", async () => {
  const line = { source: "any" as const, tags: ["one"] };
  await setGroupLine(hub.deps, commandLineActor, { ...line, pattern: "a" });
  await setGroupLine(hub.deps, commandLineActor, { ...line, pattern: "b" });
  await setGroupLine(hub.deps, commandLineActor, { ...line, pattern: "a", tags: ["two"] });
  const { lines } = await showGroups(hub.deps);
  expect(lines.map(({ pattern, tags }) => [pattern, ...tags])).toEqual([
    ["a", "two"],
    ["b", "one"],
  ]);
  await deleteGroupLine(hub.deps, commandLineActor, { pattern: "a", source: "any" });
  const missing = deleteGroupLine(hub.deps, commandLineActor, { pattern: "a", source: "any" });
  await expect(missing).rejects.toMatchObject({ code: "not_found" });
  await set([]);
});

test("What is changed by hand leaves what groups give, and the other way round", async () => {
  await set([{ pattern: "ops", tags: ["ops"], role: "admin" }]);
  const id = await addMember(["ops"]);
  expect(await showUser(hub.deps, id)).toMatchObject({ role: "admin", tags: ["hand", "ops"] });
  await setUser(hub.deps, commandLineActor, id, { role: "user", addTags: ["more"] });
  expect(await showUserGroups(hub.deps, id)).toMatchObject({
    role_by_hand: "user",
    role_by_groups: "admin",
    tags_by_hand: ["hand", "more"],
    tags_by_groups: ["ops"],
  });
  expect(await showUser(hub.deps, id)).toMatchObject({ role: "admin" });
  await setUser(hub.deps, commandLineActor, id, { addTags: ["ops"] });
  await addMember([]);
  // The last active admin stays one, so another one is needed.
  await addUser(hub.deps, commandLineActor, { email: "second@example.com", role: "admin" });
  await set([]);
  expect(await showUser(hub.deps, id)).toMatchObject({
    role: "user",
    tags: ["hand", "more", "ops"],
  });
});

const secondAdmin = { email: "second@example.com", role: "admin" } as const;

test.each<[string, (deps: typeof hub.deps) => Promise<unknown>]>([
  ["added", (deps) => addUser(deps, commandLineActor, secondAdmin)],
  [
    "given the role",
    async (deps) => {
      const { id } = await addUser(deps, commandLineActor, { ...secondAdmin, role: "user" });
      await setUser(deps, commandLineActor, id, { role: "admin" });
    },
  ],
  [
    "enabled",
    async (deps) => {
      const { id } = await addUser(deps, commandLineActor, { ...secondAdmin, role: "user" });
      await disableUser(deps, commandLineActor, id);
      await setUser(deps, commandLineActor, id, { role: "admin" });
      const { items } = await listUsers({ store: deps.store }, {}, { role: "admin" });
      expect(items).toHaveLength(2);
      await enableUser(deps, commandLineActor, id);
    },
  ],
])("The last admin, kept although groups took the role, loses it once another one is %s by hand", async (_, make) => {
  const other = await openTestServices();
  try {
    const line = { pattern: "ops", source: "any", role: "admin" } as const;
    await setGroupLine(other.deps, commandLineActor, line);
    const id = await addMember(["ops"], other);
    await giveGroups(id, [], other);
    expect(await showUserGroups(other.deps, id)).toMatchObject({ keeps_last_admin: true });
    await make(other.deps);
    expect(await showUser(other.deps, id)).toMatchObject({ role: "user", status: "active" });
    expect(await showUserGroups(other.deps, id)).toMatchObject({ keeps_last_admin: false });
  } finally {
    await other.close();
  }
});

test("An admin takes the role by hand from one who was kept as the last", async () => {
  await addUser(hub.deps, commandLineActor, { ...secondAdmin, email: "third@example.com" });
  const { id } = await addUser(hub.deps, commandLineActor, {
    email: "kept@example.com",
    role: "admin",
  });
  // As an earlier version left it, which gave no role back to those who were kept.
  await transaction(hub.deps.store.db, (trx) => setHandRole(trx, id, "user"));
  const changed = await setUser(hub.deps, commandLineActor, id, { role: "user" });
  expect(changed).toMatchObject({ role: "user" });
});

test("A user is never prepared as an admin, and not without a provider", async () => {
  const deps = { ...hub.deps, config: { oidcIssuer: "https://id.example" } };
  const given = { email: "prepared@example.com", prepared: true };
  const asAdmin = addUser(deps, commandLineActor, { ...given, role: "admin" });
  await expect(asAdmin).rejects.toMatchObject({ code: "bad_request" });
  await expect(addUser(hub.deps, commandLineActor, given)).rejects.toThrow("HUB_OIDC_ISSUER");
  const { id } = await addUser(deps, commandLineActor, given);
  expect((await showUserGroups(hub.deps, id)).prepared_for).toBe("https://id.example");
  const later = setUser(hub.deps, commandLineActor, id, { role: "admin" });
  await expect(later).rejects.toMatchObject({ code: "conflict" });
});
