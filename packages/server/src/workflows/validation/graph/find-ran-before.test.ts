import { describe, expect, test } from "bun:test";
import type { WorkflowBody } from "@hub/contract/workflow-body.ts";
import { listCases } from "@hub/contract/workflow-cases.ts";
import fc from "fast-check";
import { amount } from "../../../lib/testing/amount.ts";
import { toBody, toBranch } from "../testing/sample-bodies.ts";
import { buildGraph } from "./body-graph.ts";
import { findRanBefore } from "./find-ran-before.ts";

const find = (body: WorkflowBody, entries = ["a"]) => findRanBefore(buildGraph(body), entries);

describe("findRanBefore", () => {
  test("In a chain, all earlier nodes are certain", () => {
    const before = find(toBody(["a", "b", "c"], ["a>b", "b>c"]));
    expect(before.list("c")).toEqual(["a", "b"]);
    expect(before.list("a")).toEqual([]);
  });

  test("After the join of parallel branches, the nodes of both are certain", () => {
    const before = find(toBody(["a", "b", "c", "d"], ["a>b", "a>c", "b>d", "c>d"]));
    expect(before.list("d")).toEqual(["a", "b", "c"]);
    expect(before.isPossible("b", "c")).toBe(false);
    expect(before.list("c")).toEqual(["a"]);
  });

  test("After the join of two cases, the nodes of neither are certain, and both are possible", () => {
    const edges = ["a>b:true", "a>c:false", "b>d", "c>d"];
    const before = find(toBody([toBranch("a"), "b", "c", "d"], edges));
    expect(before.list("d")).toEqual(["a"]);
    expect(before.isPossible("b", "d")).toBe(true);
  });

  test("Nodes that start with one case are certain for each other's join", () => {
    const edges = ["a>b:true", "a>c:true", "b>d", "c>d"];
    const before = find(toBody([toBranch("a"), "b", "c", "d"], edges));
    expect(before.list("d")).toEqual(["a", "b", "c"]);
  });

  test("A node is not certain on the way of an error", () => {
    const route = { id: "a", type: "set", value: 1, on_error: "route" };
    const before = find(toBody([route, "b", "c", "d"], ["a>b", "a>c:error", "b>d", "c>d"]));
    expect(before.list("d")).toEqual(["a"]);
    expect(before.list("c")).toEqual(["a"]);
  });

  test("A node is certain only if it is certain for every entry", () => {
    const body = toBody(["a", "b", "c"], ["a>b", "b>c"]);
    expect(find(body, ["a", "b"]).list("c")).toEqual(["b"]);
    expect(find(body, ["b"]).list("c")).toEqual(["b"]);
    expect(find(body, ["b"]).isPossible("a", "c")).toBe(false);
  });

  test("Nothing is known of a node that no entry reaches, and of a node that does not exist", () => {
    const before = find(toBody(["a", "b", "c"], ["a>b"]));
    expect(before.isCertain("a", "c")).toBe(false);
    expect(before.isPossible("x", "b")).toBe(false);
    expect(before.list("x")).toEqual([]);
  });

  test("Every node that is called certain has run in every possible run", () => {
    fc.assert(
      fc.property(bodies, ({ body, entries }) => {
        const before = find(body, entries);
        const certain = findCertainByRunning(body, entries);
        for (const [id, earlier] of certain) {
          const wrong = before.list(id).filter((one) => !earlier.has(one));
          expect({ id, wrong }).toEqual({ id, wrong: [] });
        }
      }),
      { numRuns: amount(50, 150) },
    );
  });

  test("Every dominator is certain", () => {
    fc.assert(
      fc.property(bodies, ({ body }) => {
        const before = find(body, ["n0"]);
        const graph = buildGraph(body);
        for (const id of graph.reachableFrom("n0")) {
          for (const removed of graph.reachableFrom("n0")) {
            if (removed === id) continue;
            const nodes = body.nodes.filter((node) => node.id !== removed);
            const isDominator = !buildGraph({ ...body, nodes })
              .reachableFrom("n0")
              .has(id);
            if (isDominator) expect(before.list(id)).toContain(removed);
          }
        }
      }),
      { numRuns: amount(50, 100) },
    );
  });

  test("A body of 500 nodes and 2,000 edges with cases is read", () => {
    const ids = Array.from({ length: 500 }, (_, at) => `n${at}`);
    const edges = ids.flatMap((from, at) =>
      [1, 2, 3, 4].map((by) => `${from}>n${Math.min(at + by, 499)}:${by % 2 === 0}`),
    );
    const before = find(toBody(ids.map(toBranch), edges.slice(0, 1980)), ["n0"]);
    expect(before.isCertain("n0", "n400")).toBe(true);
    expect(before.isPossible("n399", "n400")).toBe(true);
  });
});

/** How the text of an edge names its case, by the kind of the node where it starts. */
const edgeCases: { [kind: string]: (flag: boolean) => string } = {
  branch: (flag) => `:${flag}`,
  route: (flag) => (flag ? ":error" : ""),
};

/** Random bodies of up to 8 nodes whose edges lead forward, with random kinds of nodes and cases. */
const bodies = fc
  .integer({ min: 2, max: 8 })
  .chain((count) =>
    fc.record({
      kinds: fc.array(fc.constantFrom("set", "branch", "route"), {
        minLength: count,
        maxLength: count,
      }),
      edges: fc.array(fc.tuple(fc.nat(count - 1), fc.nat(count - 1), fc.boolean()), {
        maxLength: 20,
      }),
      entries: fc.array(fc.nat(count - 1), { minLength: 1, maxLength: 3 }),
    }),
  )
  .map(({ kinds, edges, entries }) => ({
    body: toBody(
      kinds.map((kind, at) => toNode(kind, `n${at}`)),
      edges
        .filter(([one, two]) => one !== two)
        .map(([one, two, flag]) => {
          const from = Math.min(one, two);
          const name = edgeCases[kinds[from] ?? "set"]?.(flag) ?? "";
          return `n${from}>n${Math.max(one, two)}${name}`;
        }),
    ),
    entries: entries.map((at) => `n${at}`),
  }));

function toNode(kind: string, id: string): Record<string, unknown> {
  if (kind === "branch") return toBranch(id);
  return { id, type: "set", value: 1, on_error: kind === "route" ? "route" : "fail" };
}

/** Tries all outcomes of all nodes, from each entry, and intersects what ran before each node. */
function findCertainByRunning(
  body: WorkflowBody,
  entries: readonly string[],
): Map<string, Set<string>> {
  const certain = new Map<string, Set<string>>();
  const choices = body.nodes.map((node) => {
    if (node.type === "branch") return ["true", "false"];
    return listCases(node).length === 0 ? [undefined] : [undefined, "error"];
  });
  const total = choices.reduce((product, { length }) => product * length, 1);
  for (const entry of entries) {
    for (let at = 0; at < total; at++) {
      let rest = at;
      const outcomes = new Map(
        body.nodes.map((node, index) => {
          const options = choices[index] ?? [];
          const outcome = options[rest % options.length];
          rest = Math.floor(rest / options.length);
          return [node.id, outcome];
        }),
      );
      for (const [id, earlier] of walk(body, entry, outcomes)) {
        const known = certain.get(id);
        certain.set(id, known === undefined ? earlier : known.intersection(earlier));
      }
    }
  }
  return certain;
}

/** Runs a body whose edges lead forward: the nodes that ran, each with those that ran before it. */
function walk(
  { nodes, edges }: WorkflowBody,
  entry: string,
  outcomes: ReadonlyMap<string, string | undefined>,
): Map<string, Set<string>> {
  const ran = new Map<string, Set<string>>();
  const ancestors = new Map<string, Set<string>>();
  const start = nodes.findIndex(({ id }) => id === entry);
  for (const { id } of nodes.slice(start)) {
    const incoming = edges.filter(({ to, from }) => to === id && ancestors.has(from));
    const leading = new Set(incoming.flatMap(({ from }) => [from, ...(ancestors.get(from) ?? [])]));
    if (id !== entry && incoming.length === 0) continue;
    ancestors.set(id, leading);
    const isTaken = incoming.some(
      (edge) => ran.has(edge.from) && outcomes.get(edge.from) === edge.case,
    );
    if (id === entry || isTaken) {
      ran.set(id, new Set([...leading].filter((earlier) => ran.has(earlier))));
    }
  }
  return ran;
}
