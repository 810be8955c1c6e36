import { expect, test } from "bun:test";
import { noAccounts } from "./read-account-labels.ts";
import { listRowEntries } from "./tool-catalogue.ts";

test("A list of many rows lets other requests work in between", async () => {
  const row = { label: "Shop", description: "Orders." };
  const rows = Array(1_200).fill({ row, connector: { name: "HTTP" }, operations: [{}, {}] });
  let pauses = 0;
  const entries = await listRowEntries(rows, noAccounts, async () => {
    pauses += 1;
  });
  expect(entries).toHaveLength(1_200);
  expect(entries[0]).toEqual({
    label: "Shop",
    connector: "HTTP",
    description: "Orders.",
    operations: 2,
  });
  expect(pauses).toBe(2);
});
