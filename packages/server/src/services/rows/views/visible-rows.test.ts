/** Protects: a user who is not an admin sees only the callable parts of a row and its connector. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Caller } from "../../../caller.ts";
import { openTestServices } from "../../testing/open-test-services.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
let shared: string;
let hidden: string;
beforeAll(async () => {
  hub = await openTestServices();
  const add = async (label: string, tags: string[]) =>
    (await hub.admin.rows.add({ connector: "tracker", label, tags })).id;
  shared = await add("Shared", ["red", "green", "everyone"]);
  hidden = await add("Hidden", ["green"]);
});
afterAll(() => hub.close());

const user: Caller = {
  userId: "u1",
  email: "ada@example.com",
  name: "Ada",
  tokenId: "t1",
  role: "user",
  tags: new Set(["red", "blue"]),
};
const admin: Caller = { ...user, role: "admin", tags: new Set() };
const keysOf = (operations: ReadonlyArray<{ key: string }>) => operations.map(({ key }) => key);

describe("an ordinary user", () => {
  test("An ordinary user sees only their own tags and the reserved tag of a row", async () => {
    const { rows } = hub.admin;
    expect((await rows.showFor(user, shared)).tags.toSorted()).toEqual(["everyone", "red"]);
    const list = await rows.listFor(user);
    expect(list.map(({ label, tags }) => [label, tags.toSorted()])).toEqual([
      ["Shared", ["everyone", "red"]],
    ]);
  });

  test("An ordinary user does not see operations behind the settings", async () => {
    const view = await hub.admin.rows.showFor(user, shared);
    expect(keysOf(view.operations)).toEqual(["read"]);
    const type = await hub.admin.types.showFor(user, "tracker");
    expect([keysOf(type.operations), type.fields]).toEqual([["read"], []]);
  });

  test("An ordinary user sees the widgets of a row only while they may test it, and without values", async () => {
    const { rows } = hub.admin;
    const widgets = async (who: Caller) => (await rows.showFor(who, shared)).widgets;
    await rows.set(shared, { values: { panel: "chosen" } });
    expect(await widgets(user)).toEqual([]);
    expect(keysOf(await widgets(admin))).toEqual(["panel", "broken"]);
    await rows.set(shared, { tests: "tag" });
    // The widget `broken` is rendered by an operation for admins.
    const panel = { key: "panel", name: "Panel", description: "", locked: false };
    expect(await widgets(user)).toEqual([panel]);
    await rows.set(shared, { tests: "admins" });
    expect(await widgets(user)).toEqual([]);
  });

  test("An ordinary user sees only types of visible rows, with the number of these rows", async () => {
    const types = await hub.admin.types.listFor(user);
    expect(types.map(({ key, rows }) => [key, rows])).toEqual([["tracker", 1]]);
    const stranger = { ...user, tags: new Set<string>() };
    await hub.admin.rows.set(shared, { removeTags: ["everyone"] });
    expect(await hub.admin.types.listFor(stranger)).toEqual([]);
    await expect(hub.admin.types.showFor(stranger, "tracker")).rejects.toMatchObject({
      code: "not_found",
    });
    await hub.admin.rows.set(shared, { addTags: ["everyone"] });
  });

  test("A hidden row cannot be found by its id, in any case", async () => {
    const find = (id: string) => hub.admin.rows.showFor(user, id);
    for (const id of [hidden, hidden.toUpperCase(), crypto.randomUUID()]) {
      await expect(find(id)).rejects.toMatchObject({
        code: "not_found",
        message: "There is no such row.",
      });
      expect(await hub.admin.rows.isVisible(user, id)).toBeFalse();
    }
    expect((await find(shared.toUpperCase())).id).toBe(shared);
  });
});

describe("an admin", () => {
  test("An admin sees every tag, operation, field and row", async () => {
    const view = await hub.admin.rows.showFor(admin, shared);
    expect(view.tags.toSorted()).toEqual(["everyone", "green", "red"]);
    expect(view.operations.map(({ key, test_only: isTestOnly }) => [key, isTestOnly])).toEqual([
      ["read", false],
      ["widget", true],
      ["sweep", true],
      ["leak", true],
    ]);
    const type = await hub.admin.types.showFor(admin, "tracker");
    expect([keysOf(type.operations), type.fields.length, type.rows]).toEqual([
      ["read", "widget", "sweep", "leak"],
      9,
      2,
    ]);
    expect(await hub.admin.rows.isVisible(admin, hidden)).toBeTrue();
  });
});
