import { expect, test } from "bun:test";
import { type OperationTools, runOperation } from "@hub/connector";
import { warehouse } from "./warehouse.ts";

const tools: OperationTools = {
  signal: AbortSignal.timeout(5_000),
  fetch,
  log: console,
  mask() {},
  maskIgnoreCase() {},
  progress() {},
};

function countStock(article: string) {
  const values = { config: { site: "north", api_key: "k3y" }, params: { article } };
  return runOperation(warehouse, "count_stock", values, tools);
}

test("count_stock returns how many pieces are in stock", async () => {
  expect(await countStock("bolt")).toMatchObject({ site: "north", pieces: 1200 });
});

test("count_stock fails for an unknown article", async () => {
  await expect(countStock("anvil")).rejects.toThrow('There is no article "anvil".');
});
