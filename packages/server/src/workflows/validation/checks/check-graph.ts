import type { WorkflowBody, WorkflowEdge } from "@hub/contract/workflow-body.ts";
import { defaultCase, errorCase, listCases } from "@hub/contract/workflow-cases.ts";
import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import { suggestOne } from "../describe-issue.ts";
import { findReachable, type Graph } from "../graph/body-graph.ts";
import { sortNodes } from "../graph/sort-nodes.ts";
import type { Path, ProblemList } from "../problem-list.ts";
import type { Pace } from "../validation-pace.ts";

/** More cycles are not listed. */
const cyclesMax = 10;

/** A longer cycle is cut in the message. */
const shownIdsMax = 20;

/** Checks that every id of a node or trigger is used once, and every id of a comment. */
export function checkIds(
  problems: ProblemList,
  { nodes, triggers, comments = [] }: WorkflowBody,
): void {
  const known = new Set<string>();
  for (const [list, items] of [
    ["nodes", nodes],
    ["triggers", triggers],
  ] as const) {
    for (const [at, { id }] of items.entries()) {
      if (known.has(id)) {
        const message = `The id "${id}" is used twice.`;
        problems.error(
          [list, at, "id"],
          message,
          "Nodes and triggers share their ids. Choose another one.",
        );
      }
      known.add(id);
    }
  }
  const reported = new Set<string>();
  for (const [at, { id }] of comments.entries()) {
    if (reported.has(id)) {
      const message = `The id "${id}" is used by two comments.`;
      problems.error(["comments", at, "id"], message, "Choose another one.");
    }
    reported.add(id);
  }
}

/** Checks both ends of each edge, and its case. */
export async function checkEdges(
  problems: ProblemList,
  { edges }: WorkflowBody,
  graph: Graph,
  pace: Pace,
): Promise<void> {
  const known = new Set<string>();
  const ids = [...graph.nodes.keys()];
  for (const [at, edge] of edges.entries()) {
    await pace();
    for (const end of ["from", "to"] as const) {
      if (graph.nodes.has(edge[end])) continue;
      const message = `There is no node "${edge[end]}".`;
      problems.error(["edges", at, end], message, () => suggestOne(edge[end], ids, "Nodes"));
    }
    const from = graph.nodes.get(edge.from);
    if (from !== undefined) checkCase(problems, ["edges", at], edge, from);
    const key = `${edge.from}/${edge.case ?? ""}/${edge.to}`;
    if (known.has(key)) {
      const message = `The edge from "${edge.from}" to "${edge.to}" is there twice.`;
      problems.warn(["edges", at], message, "Remove one of them.");
    }
    known.add(key);
  }
}

function checkCase(
  problems: ProblemList,
  path: Path,
  edge: WorkflowEdge,
  from: WorkflowNode,
): void {
  const cases = listCases(from);
  const { case: name } = edge;
  if (name === undefined) {
    const own = cases.filter((one) => one !== errorCase);
    if (own.length === 0) return;
    const message = `The edge from "${from.id}" has no case.`;
    problems.error(path, message, `Give it one of the cases of the node: ${own.join(", ")}.`);
  } else if (name === errorCase && from.on_error !== "route") {
    const message = `The node "${from.id}" does not have the case "${errorCase}".`;
    problems.error([...path, "case"], message, "Set on_error of the node to route.");
  } else if (!cases.includes(name)) {
    const message = `The node "${from.id}" does not have the case "${name}".`;
    problems.error([...path, "case"], message, () => suggestOne(name, cases, "Its cases"));
  }
}

/** Checks that every outcome of a node leads somewhere, where that is required. */
export function checkOutcomes(problems: ProblemList, { nodes }: WorkflowBody, graph: Graph): void {
  for (const [at, node] of nodes.entries()) {
    const taken = new Set(graph.outgoing.get(node.id)?.map((edge) => edge.case));
    if (node.on_error === "route" && !taken.has(errorCase)) {
      const message = `The node "${node.id}" has on_error: route, and no edge with the case "${errorCase}".`;
      problems.error(
        ["nodes", at, "on_error"],
        message,
        "Add the edge, or choose fail or continue.",
      );
    }
    if (node.type === "switch" && !taken.has(defaultCase)) {
      const message = `The switch "${node.id}" has no edge with the case "${defaultCase}".`;
      problems.warn(["nodes", at], message, "Without it, nothing follows when no case holds.");
    }
  }
}

/** Lists cycles. Returns whether there is none. */
export function checkCycles(problems: ProblemList, { edges }: WorkflowBody, graph: Graph): boolean {
  const { cycles } = sortNodes(graph, cyclesMax);
  for (const cycle of cycles) {
    const [first = ""] = cycle;
    const last = cycle.at(-1);
    const at = edges.findIndex(({ from, to }) => from === last && to === first);
    const shown = cycle.length > shownIdsMax ? [...cycle.slice(0, shownIdsMax), "…"] : cycle;
    const message = `The nodes are in a cycle: ${[...shown, first].join(" → ")}.`;
    problems.error(
      ["edges", at],
      message,
      "Remove an edge of it. A node with for_each repeats work.",
    );
  }
  return cycles.length === 0;
}

/** Warns of nodes that no trigger leads to. */
export function checkReachable(problems: ProblemList, body: WorkflowBody, graph: Graph): void {
  const { nodes, triggers } = body;
  if (triggers.length === 0) {
    problems.warn(["triggers"], "The workflow has no trigger.", "Without one, nothing starts it.");
    return;
  }
  const reachable = findReachable(
    graph.outgoing,
    triggers.map(({ entry }) => entry),
  );
  for (const [at, { id }] of nodes.entries()) {
    if (reachable.has(id)) continue;
    const message = `No trigger leads to the node "${id}".`;
    problems.warn(["nodes", at], message, "Connect it, or remove it. It never runs.");
  }
}
