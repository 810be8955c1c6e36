import { afterAll, beforeAll, expect, test } from "bun:test";
import { hubActor, localAdmin } from "../../../identity/local-admin.ts";
import { openTestServices } from "../../testing/open-test-services.ts";
import { discoverRow } from "./discover-row.ts";

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
    async discover({ caller: { userId } }: { caller: { userId: string } }) {
      expect(running).not.toContain(userId);
      running.push(userId);
      most = Math.max(most, running.length);
      if (running.length === 2) both.resolve();
      await both.promise;
      running.splice(running.indexOf(userId), 1);
      return { operations: [], leftOut: [] };
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
