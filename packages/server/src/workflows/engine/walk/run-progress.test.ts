import { expect, test } from "bun:test";
import type { WorkflowEdge } from "@hub/contract/workflow-body.ts";
import { setNodeSchema } from "@hub/contract/workflow-node.ts";
import { buildGraph } from "../../validation/graph/body-graph.ts";
import { createRunProgress } from "./run-progress.ts";

/** Edges as `a>b` or `a>b:case`. */
function progressOf(edges: string[], entry = "a") {
  const parsed = edges.map((text): WorkflowEdge => {
    const [, from = "", to = "", name] = /^(\w+)>(\w+)(?::(\w+))?$/.exec(text) ?? [];
    return { from, to, ...(name !== undefined && { case: name }) };
  });
  const ids = new Set([entry, ...parsed.flatMap(({ from, to }) => [from, to])]);
  const nodes = [...ids].map((id) => setNodeSchema.parse({ id, type: "set", value: 1 }));
  return createRunProgress(buildGraph({ nodes, edges: parsed }), entry);
}
const plain = { caseName: null };

test("A run begins at its entry, and branches without cases run side by side", () => {
  const progress = progressOf(["a>b", "a>c"]);
  expect(progress.takeReady()).toEqual(["a"]);
  expect(progress.takeReady()).toEqual([]);
  progress.complete("a", plain);
  expect(progress.takeReady()).toEqual(["b", "c"]);
});

test("A node that joins two branches starts once, after both", () => {
  const progress = progressOf(["a>b", "a>c", "b>d", "c>d"]);
  progress.complete("a", plain);
  progress.takeReady();
  progress.complete("b", plain);
  expect(progress.takeReady()).toEqual([]);
  progress.complete("c", plain);
  expect(progress.takeReady()).toEqual(["d"]);
});

test("A join after a branch starts when the other case is dead", () => {
  const progress = progressOf(["a>b:true", "a>c:false", "b>d", "c>e", "e>d"]);
  progress.complete("a", { caseName: "true" });
  progress.takeReady();
  expect(progress.listSkipped()).toEqual(["c", "e"]);
  progress.complete("b", plain);
  expect(progress.takeReady()).toEqual(["d"]);
});

test("A node whose incoming edges are all dead is skipped, with all that follows only from it", () => {
  const progress = progressOf(["a>b:true", "b>c", "b>d", "c>d"]);
  progress.complete("a", { caseName: "false" });
  expect(progress.takeReady()).toEqual(["a"]);
  expect(progress.listSkipped()).toEqual(["b", "c", "d"]);
});

test("Edges from nodes that the trigger does not reach do not delay a node", () => {
  const progress = progressOf(["a>b", "z>b"]);
  progress.complete("a", plain);
  expect(progress.takeReady()).toEqual(["a", "b"]);
});

test("An edge with the case error dies if the node succeeds, and an edge without dies if it is routed", () => {
  const succeeded = progressOf(["a>b", "a>c:error"]);
  succeeded.complete("a", plain);
  expect(succeeded.takeReady()).toEqual(["a", "b"]);
  const failed = progressOf(["a>b", "a>c:error"]);
  failed.complete("a", { caseName: "error" });
  expect(failed.takeReady()).toEqual(["a", "c"]);
});

test("A chain of ten thousand skipped nodes does not exhaust the stack", () => {
  const chain = Array.from({ length: 10_000 }, (_, index) => `n${index}>n${index + 1}`);
  const progress = progressOf(["a>n0:true", ...chain]);
  progress.complete("a", { caseName: "false" });
  expect(progress.listSkipped()).toHaveLength(10_001);
});

test("The node before a join is that of its first taken edge, in the order of the body", () => {
  const progress = progressOf(["a>b:false", "a>c:true", "a>d:true", "b>e", "d>e", "c>e"]);
  progress.complete("a", { caseName: "true" });
  progress.complete("c", plain);
  progress.complete("d", plain);
  expect(progress.findInput("e")).toBe("d");
  expect(progress.findInput("b")).toBeNull();
  expect(progress.findInput("a")).toBeNull();
});
