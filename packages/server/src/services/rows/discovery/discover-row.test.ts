import { afterAll, beforeAll, expect, test } from "bun:test";
import { hubActor, localAdmin } from "../../../identity/local-admin.ts";
import { openTestServices } from "../../testing/open-test-services.ts";
import { discoverRow } from "./discover-row.ts";
import { listLeftOut } from "./list-left-out.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
beforeAll(async () => {
  hub = await openTestServices();
});
afterAll(() => hub.close());

test("Two discoveries run at once, one for each user, so that their lists fit into the memory", async () => {
  const { id } = await hub.admin.rows.add({ connector: "tracker", label: "Many" });
  const running: string[] = [];
  let most = 0;
  const both = Promise.withResolvers<void>();
  const operations = {
    ...hub.deps.operations,
    rows: {
      ...hub.deps.operations.rows,
      async discover({ caller: { userId } }: { caller: { userId: string } }) {
        expect(running).not.toContain(userId);
        running.push(userId);
        most = Math.max(most, running.length);
        if (running.length === 2) both.resolve();
        await both.promise;
        running.splice(running.indexOf(userId), 1);
        return { operations: [], leftOut: [] };
      },
    },
  };
  const signal = new AbortController().signal;
  const discover = (userId: string) =>
    discoverRow(
      { ...hub.deps, operations },
      hubActor,
      { caller: { ...localAdmin, userId }, signal },
      id,
    );
  const users = Array.from({ length: 30 }, (_, at) => `user-${at % 3}`);
  await Promise.all(users.map(discover));
  expect(most).toBe(2);
  expect(hub.deps.discoveries.countRunning()).toBe(0);
});

test("What is left out has a number and is listed page by page", async () => {
  const { id } = await hub.admin.rows.add({ connector: "tracker", label: "Left out" });
  const left = (count: number) => ({ sourceName: `op ${count}`, reason: "It cannot be used." });
  const more = { sourceName: "7 more operations", reason: "They are too many.", count: 7 };
  const leftOut = [...Array.from({ length: 250 }, (_, at) => left(at)), more];
  const operations = {
    ...hub.deps.operations,
    rows: { ...hub.deps.operations.rows, discover: async () => ({ operations: [], leftOut }) },
  };
  const ctx = { caller: localAdmin, signal: new AbortController().signal };
  const report = await discoverRow({ ...hub.deps, operations }, hubActor, ctx, id);
  expect([report.left_out.length, report.left_out_total]).toEqual([100, 257]);
  const names: string[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page = await listLeftOut(hub.deps, id, { after });
    expect(page.left_out_total).toBe(257);
    names.push(...page.left_out.map(({ source_name }) => source_name));
    after = page.next === null ? null : Number(page.next);
  }
  expect(names).toEqual(leftOut.map(({ sourceName }) => sourceName));
  expect((await listLeftOut(hub.deps, id, { after: 1_000 })).next).toBeNull();
});
