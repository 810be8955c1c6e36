import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { defineConnector, wick } from "@hub/connector";
import { openTestOperations, toTestCall } from "../testing/open-test-operations.ts";

const arrived = Promise.withResolvers<void>();
const release = Promise.withResolvers<void>();

const connector = defineConnector({
  key: "fixture",
  name: "Fixture",
  icon: "box",
  tier: "builtin",
  description: "A connector for tests.",
  config: { Token: wick("secret;required") },
  operations: {
    take: {
      description: "Takes data.",
      input: { Data: wick.json("") },
      run: () => "taken",
    },
    wait: {
      description: "Waits.",
      input: {},
      async run() {
        arrived.resolve();
        await release.promise;
        return "waited";
      },
    },
  },
});

let hub: Awaited<ReturnType<typeof openTestOperations>>;
let toolId: string;

beforeAll(async () => {
  hub = await openTestOperations(connector, { budgets: { memoryBytes: 8_000_000 } });
  toolId = `conn:${await hub.addRow({ tags: ["team"], secrets: { token: "p9fK2xQ7vLm4RzW8" } })}/take`;
});
afterAll(() => hub.close());

/** How often a call gives the event loop a turn. */
async function countTurns(largeChars: number): Promise<number> {
  const yields = spyOn(globalThis, "setImmediate");
  try {
    const params = { data: { a: 1 } };
    const ctx = { ...toTestCall(["team"]), largeChars };
    expect((await hub.operations.calls.call(ctx, { toolId, params })).value).toBe("taken");
    return yields.mock.calls.length;
  } finally {
    yields.mockRestore();
  }
}

test("Each step that reads a large request is followed by a turn of the event loop", async () => {
  expect(await countTurns(300_000)).toBe((await countTurns(0)) + 5);
});

test("Large calls that run hold memory of their user until they end, and one too many is refused", async () => {
  const call = (largeChars: number, name: string) =>
    hub.operations.calls.call(
      { ...toTestCall(["team"]), largeChars },
      { toolId: toolId.replace("take", name), params: {} },
    );
  const first = call(1_500_000, "wait");
  await arrived.promise;
  await expect(call(1_000_000, "take")).rejects.toMatchObject({
    code: "rate_limited",
    detail: { budget: "memoryBytes", limit: 8_000_000, retry_after_s: 5 },
  });
  await call(0, "take");
  await expect(call(3_000_000, "take")).rejects.toMatchObject({ code: "invalid_params" });
  release.resolve();
  await first;
  expect((await call(1_000_000, "take")).value).toBe("taken");
});
