import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Caller } from "../caller.ts";
import { localAdmin } from "../identity/local-admin.ts";
import { listStatedRows } from "./rows/views/list-rows.ts";
import { openTestServices } from "./testing/open-test-services.ts";
import { listTokens } from "./users/manage-tokens.ts";
import { listUsers } from "./users/manage-users.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
beforeAll(async () => {
  hub = await openTestServices();
  const { admin } = hub;
  for (let count = 0; count < 7; count += 1) {
    const tags = count % 2 === 0 ? ["red"] : ["blue"];
    await admin.rows.add({ connector: "tracker", label: `Row ${count}`, tags });
    const user = await admin.users.add({ email: `user-${count}@example.com` });
    await admin.tokens.create({ user: user.id, name: `Token ${count}` });
  }
});
afterAll(() => hub.close());

type Read = (page: { limit?: number; after?: string }) => Promise<{
  items: { id: string }[];
  next: string | null;
}>;
const lists: Record<string, Read> = {
  rows: async (page) => {
    const { rows, next } = await listStatedRows(hub.deps, localAdmin, page);
    return { items: rows, next };
  },
  users: (page) => listUsers(hub.deps, page),
  tokens: (page) => listTokens(hub.deps, page),
};

describe.each(Object.entries(lists))("a list of %s", (_, read) => {
  test("Pages together hold every item once, in the order of the list", async () => {
    const whole = await read({});
    expect([whole.items.length, whole.next]).toEqual([7, null]);
    for (const limit of [1, 3, 7]) {
      const ids: string[] = [];
      for (let after: string | null | undefined; after !== null; ) {
        const page = await read({ limit, ...(after !== undefined && { after }) });
        expect(page.items.length).toBeLessThanOrEqual(limit);
        ids.push(...page.items.map(({ id }) => id));
        after = page.next;
      }
      expect(ids).toEqual(whole.items.map(({ id }) => id));
    }
  });

  test.each([0, 1001, 1.5])("A limit of %p is refused", async (limit) => {
    await expect(read({ limit })).rejects.toThrow("limit must be");
  });

  test("A forged cursor is refused", async () => {
    const others = ["x", btoa('["a"]'), btoa("[{},1]"), btoa("null")];
    for (const after of others) {
      await expect(read({ after })).rejects.toMatchObject({ code: "bad_request" });
    }
  });
});

test("A page is full although rows that the caller does not see are left out", async () => {
  const caller: Caller = { ...localAdmin, role: "user", tags: new Set(["blue"]) };
  const first = await listStatedRows(hub.deps, caller, { limit: 2 });
  const second = await listStatedRows(hub.deps, caller, { limit: 2, after: first.next ?? "" });
  expect([first, second].map(({ rows }) => rows.map(({ label }) => label))).toEqual([
    ["Row 1", "Row 3"],
    ["Row 5"],
  ]);
  expect(second.next).toBeNull();
});
