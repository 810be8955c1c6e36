import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { defineConnector, wick } from "@hub/connector";
import { openTestOperations, toTestCall } from "./open-test-operations.ts";

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
  },
});

let hub: Awaited<ReturnType<typeof openTestOperations>>;
let toolId: string;

beforeAll(async () => {
  hub = await openTestOperations(connector);
  toolId = `conn:${await hub.addRow({ tags: ["team"], secrets: { token: "p9fK2xQ7vLm4RzW8" } })}/take`;
});
afterAll(() => hub.close());

/** How often a call gives the event loop a turn. */
async function countTurns(isLarge: boolean): Promise<number> {
  const yields = spyOn(globalThis, "setImmediate");
  try {
    const params = { data: { a: 1 } };
    const ctx = { ...toTestCall(["team"]), isLarge };
    expect((await hub.operations.execute(ctx, { toolId, params })).value).toBe("taken");
    return yields.mock.calls.length;
  } finally {
    yields.mockRestore();
  }
}

test("Each step that reads a large request is followed by a turn of the event loop", async () => {
  expect(await countTurns(true)).toBe((await countTurns(false)) + 5);
});
