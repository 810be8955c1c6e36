import { expect, test } from "bun:test";
import { listDisabledNodes } from "./disabled-nodes.ts";

test("The nodes that are switched off are listed, also those of a draft with errors", () => {
  const nodes = [
    { id: "a", disabled: true, label: "First" },
    { id: "b", disabled: true },
    { id: "c", disabled: "true" },
    { id: "d" },
    null,
    7,
  ];
  expect(listDisabledNodes({ nodes })).toEqual([
    { id: "a", name: "First" },
    { id: "b", name: "b" },
  ]);
  for (const body of [null, "x", { nodes: {} }, {}]) expect(listDisabledNodes(body)).toEqual([]);
});

test("Of a body that is built to be slow, no more is listed than a workflow can have", () => {
  const nodes = Array.from({ length: 100_000 }, (_, at) => ({ id: `n${at}`, disabled: true }));
  expect(listDisabledNodes({ nodes })).toHaveLength(500);
});
