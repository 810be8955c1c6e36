import { expect, test } from "bun:test";
import type { Caller } from "../../../caller.ts";
import type { Operations } from "../../../connectors/by-row/row-operation-cache.ts";
import type { Operation } from "../../../connectors/connector-port.ts";
import { openTestServices } from "../../testing/open-test-services.ts";
import { viewRow } from "../views/visible-rows.ts";
import { listOperations, type OperationQuery } from "./list-operations.ts";

const admin: Caller = {
  userId: "u1",
  email: "ada@example.com",
  name: "Ada",
  tokenId: "t1",
  role: "admin",
  tags: new Set(),
};
const user: Caller = { ...admin, role: "user", tags: new Set(["everyone"]) };

/** A row with 3,000 operations, of which every tenth waits for a review. */
async function open() {
  const hub = await openTestServices();
  const { id } = await hub.admin.rows.add({
    connector: "tracker",
    label: "Large",
    tags: ["everyone"],
  });
  const [read] = hub.deps.registry.find("tracker")?.operations.values() ?? [];
  if (read === undefined) throw new Error("The fixture has an operation");
  const operations: Operations = new Map(
    Array.from({ length: 3_000 }, (_, at): [string, Operation] => {
      const review = at % 10 === 0 ? ("new" as const) : null;
      // The list reads nothing else of an operation that a row brought.
      const fromRow = { review } as Operation["fromRow"] & object;
      const description = at === 0 ? "Like op_2999." : `Line one of ${at}.\nReads invoice ${at}.`;
      return [`op_${at}`, { ...read, key: `op_${at}`, name: `Op ${at}`, description, fromRow }];
    }),
  );
  const registry = { ...hub.deps.registry, loadOperations: async () => operations };
  const deps = { store: hub.deps.store, registry };
  return {
    hub,
    list: (caller: Caller, query: Partial<OperationQuery>) =>
      listOperations(deps, caller, id, { callable: false, limit: 100, after: 0, ...query }),
    view: (caller: Caller) => viewRow(deps, caller, id, { withOperations: false }),
  };
}

test("The operations of a large row are read in pages, searched by words, and counted", async () => {
  const { hub, list, view } = await open();
  try {
    const keys: string[] = [];
    let next: string | null = "0";
    while (next !== null) {
      const page = await list(admin, { after: Number(next) });
      keys.push(...page.operations.map(({ key }) => key));
      next = page.next;
    }
    expect([keys.length, new Set(keys).size, keys[2_999]]).toEqual([3_000, 3_000, "op_2999"]);

    const found = await list(admin, { q: "INVOICE op_299" });
    expect([found.total, found.operations[0]?.description]).toEqual([
      11,
      "Line one of 299. Reads invoice 299.",
    ]);
    // The key comes before the description, which only the first one has.
    const named = await list(admin, { q: "op_2999" });
    expect(named.operations.map(({ key }) => key)).toEqual(["op_2999", "op_0"]);
    expect((await list(admin, { key: "op_10" })).operations).toMatchObject([
      { key: "op_10", review: "new" },
    ]);
    expect((await list(admin, { callable: true })).total).toBe(2_700);

    const { operations, operation_counts: counts } = await view(admin);
    expect(operations).toEqual([]);
    expect(counts).toEqual({ total: 3_000, enabled: 2_700, waiting: 300 });
  } finally {
    await hub.close();
  }
});

test("Operations that wait for a review are absent for users who are not admins", async () => {
  const { hub, list, view } = await open();
  try {
    expect(await list(user, { key: "op_10" })).toEqual({
      operations: [],
      total: 0,
      next: null,
      stamp: null,
    });
    expect((await list(user, { q: "op" })).total).toBe(2_700);
    expect((await view(user)).operation_counts).toMatchObject({ total: 2_700, waiting: 0 });
  } finally {
    await hub.close();
  }
});
