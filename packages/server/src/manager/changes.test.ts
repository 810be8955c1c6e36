import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createManager } from "./create-manager.ts";
import { openTestManager } from "./open-test-manager.ts";

const secret = "s3cret-of-the-row";
const ada = {
  userId: "0191f5a0-0000-7000-8000-00000000ada0",
  email: "ada@example.com",
  tokenId: "t1",
  via: "token",
  ip: "192.0.2.7",
} as const;

let opened: Awaited<ReturnType<typeof openTestManager>>;
let manager: ReturnType<typeof createManager>;

beforeAll(async () => {
  opened = await openTestManager();
  manager = createManager({ ...opened.deps, actor: ada });
  await opened.manager.users.add({ email: "root@example.com", role: "admin" });
});
afterAll(() => opened.close());

const listActions = async () =>
  (await manager.changes.list({ actorId: ada.userId, limit: 1000 })).map((c) => c.action);

describe("the record of changes", () => {
  test("holds one line for each change, by the one who made it, and for nothing else", async () => {
    const values = { token: secret, base_url: "https://tracker.example" };
    const row = await manager.rows.add({ connector: "tracker", label: "Bugs", values });
    await manager.rows.set(row.id, {
      label: "Faults",
      tags: ["red"],
      values: { token: `${secret}2` },
    });
    await manager.rows.disable(row.id);
    await manager.rows.enable(row.id);
    await manager.operations.disable(row.id, "read");
    await manager.types.disable("tracker");
    await manager.types.enable("tracker");
    const user = await manager.users.add({ email: "bob@example.com" });
    await manager.users.set(user.email, { role: "admin", addTags: ["red"] });
    await manager.users.disable(user.email);
    await manager.users.enable(user.email);
    const token = await manager.tokens.create({ user: user.email, name: "laptop" });
    await manager.tokens.revoke(token.id);
    await manager.keys.rotate();
    await manager.rows.delete(row.id);
    // Looking changes nothing.
    await manager.rows.list();
    await manager.users.show(user.email);

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
    const changes = await manager.changes.list({ actorId: ada.userId, limit: 1000 });
    for (const change of changes) {
      expect(change).toMatchObject({ actor: ada.email, via: "token", ip_address: ada.ip });
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

  test("holds nothing of a change that failed", async () => {
    const before = await listActions();
    await expect(manager.users.add({ email: "bob@example.com" })).rejects.toThrow(
      "is a user already",
    );
    await expect(manager.rows.add({ connector: "tracker", label: "" })).rejects.toThrow();
    await expect(manager.types.disable("nothing")).rejects.toThrow();
    expect(await listActions()).toEqual(before);
  });

  test("is read by what was changed, by whom, and from where a page ended", async () => {
    const [newest] = await manager.changes.list({ limit: 1 });
    const older = await manager.changes.list({
      actorId: ada.userId,
      before: newest?.id,
      limit: 1000,
    });
    expect(older).toHaveLength((await listActions()).length - 1);
    const ofRow = await manager.changes.list({ targetKind: "row", targetId: newest?.target_id });
    expect(ofRow.map(({ action }) => action)).toEqual([
      "row.delete",
      "operation.disable",
      "row.enable",
      "row.disable",
      "row.update",
      "row.create",
    ]);
    expect(await manager.changes.list({ actorId: "nobody" })).toEqual([]);
  });
});
