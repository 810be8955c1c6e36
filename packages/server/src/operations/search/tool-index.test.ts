import { expect, test } from "bun:test";
import { defineConnector } from "@hub/connector";
import { createLocalConnector } from "../../connectors/local-connector.ts";
import { createToolIndexer } from "./tool-index.ts";

const connector = createLocalConnector(
  defineConnector({
    key: "tracker",
    name: "Tracker",
    icon: "bug",
    tier: "builtin",
    description: "Issues.",
    config: {},
    operations: { list: { description: "Lists issues.", run: () => [] } },
  }),
  () => ({}),
);

/** Each call makes new objects, as each snapshot of the rows does. */
const makeCatalogue = (labels: readonly string[]) => ({
  stamp: labels.join(),
  allRows: [],
  rows: labels.map((label, at) => ({
    row: {
      id: `row-${at}`,
      connectorKey: "tracker",
      owner: null,
      label,
      description: "",
      disabled: false,
      tests: "admins" as const,
      access: "shared" as const,
      tags: [],
      operationStates: {},
      slug: null,
      connectionId: null,
      record: {} as never,
      version: 1,
      operations: connector.operations,
      openPersonal: () => {
        throw new Error("Not used.");
      },
      config: () => {
        throw new Error("The search does not read the configuration.");
      },
    },
    connector,
    operations: [...connector.operations.values()],
    entries: () => [],
  })),
});

test("A new snapshot with one changed row adds one document to the index, and no operation", async () => {
  const indexer = createToolIndexer(async () => {});
  const labels = ["One", "Two", "Three", "Four"];
  const before = await indexer.update(makeCatalogue(labels));
  expect([before.rows.words.size(), before.operations.words.size()]).toEqual([4, 1]);
  const catalogue = makeCatalogue(["One", "Changed", "Three", "Four"]);
  const after = await indexer.update(catalogue);
  expect([after.rows.words.size(), after.operations.words.size()]).toEqual([5, 1]);
  expect(catalogue.rows.map((row) => after.find(row).id)).toEqual([0, 4, 2, 3]);
});
