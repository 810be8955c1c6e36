import { describe, expect, test } from "bun:test";
import { toBody } from "../testing/sample-bodies.ts";
import { buildGraph } from "./body-graph.ts";
import { sortNodes } from "./sort-nodes.ts";

describe("buildGraph", () => {
  test("A graph knows the edges of every node in both directions", () => {
    const graph = buildGraph(toBody(["a", "b", "c"], ["a>b", "a>c", "b>c"]));
    expect(graph.outgoing.get("a")?.map(({ to }) => to)).toEqual(["b", "c"]);
    expect(graph.incoming.get("c")?.map(({ from }) => from)).toEqual(["a", "b"]);
    expect(graph.incoming.get("a")).toEqual([]);
  });

  test("Edges to nodes that do not exist and second nodes with one id are left out", () => {
    const twice = { id: "a", type: "fail", message: "no" };
    const graph = buildGraph(toBody(["a", twice], ["a>b", "b>a"]));
    expect(graph.nodes.get("a")?.type).toBe("set");
    expect(graph.nodes.size).toBe(1);
    expect(graph.outgoing.get("a")).toEqual([]);
    expect(graph.incoming.get("a")).toEqual([]);
  });

  test("A node that does not exist reaches nothing", () => {
    const graph = buildGraph(toBody(["a", "b", "c"], ["a>b"]));
    expect([...graph.reachableFrom("a")]).toEqual(["a", "b"]);
    expect([...graph.reachableFrom("c")]).toEqual(["c"]);
    expect([...graph.reachableFrom("x")]).toEqual([]);
  });
});

describe("sortNodes", () => {
  const sort = (nodes: string[], edges: string[]) => sortNodes(buildGraph(toBody(nodes, edges)), 5);

  test("Every edge of a graph without cycles leads forward", () => {
    const { order, cycles } = sort(["d", "c", "b", "a"], ["a>b", "b>d", "a>c", "c>d", "a>d"]);
    expect(cycles).toEqual([]);
    expect(order.indexOf("a")).toBe(0);
    expect(order.indexOf("d")).toBe(3);
  });

  test("A cycle is the list of its nodes in the direction of the edges", () => {
    expect(sort(["a", "b", "c", "d"], ["a>b", "b>c", "c>d", "d>b"]).cycles).toEqual([
      ["b", "c", "d"],
    ]);
    expect(sort(["a"], ["a>a"]).cycles).toEqual([["a"]]);
  });

  test("The number of cycles that are listed is limited", () => {
    const ids = Array.from({ length: 40 }, (_, at) => `n${at}`);
    const edges = ids.flatMap((from) => ids.map((to) => `${from}>${to}`));
    expect(sort(ids, edges).cycles).toHaveLength(5);
  });

  test("A chain of 500 nodes is sorted without recursion", () => {
    const ids = Array.from({ length: 500 }, (_, at) => `n${at}`);
    const edges = ids.slice(1).map((to, at) => `n${at}>${to}`);
    expect(sort(ids.toReversed(), edges).order).toEqual(ids);
  });
});
