import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import type { References } from "../../templates/find-references.ts";
import { suggestOne } from "../describe-issue.ts";
import type { Graph } from "../graph/body-graph.ts";
import { findMember, listMembers, type Shape, type ShapeBudget } from "../outputs/find-member.ts";
import { findOutput } from "../outputs/node-output.ts";
import { type Path, type ProblemList, quote } from "../problem-list.ts";
import type { Pace } from "../validation-pace.ts";
import type { ValidationWorld } from "../validation-world.ts";

/** Checks which members of outputs a template reads. */
export type OutputCheck = (
  problems: ProblemList,
  path: Path,
  references: Pick<References, "reads">,
) => Promise<void>;

/** What is read of schemas for one body. */
export const shapeReadsMax = 200_000;

/**
 * Warns of members that the output of a node does not have, by its schema or by what its type returns. Where a
 * template tests for a member, its absence is expected.
 */
export function createOutputCheck(
  graph: Graph,
  world: Pick<ValidationWorld, "findOperation" | "findChannel">,
  { budget, pace }: { budget: ShapeBudget; pace: Pace },
): OutputCheck {
  const outputs = new Map<string, Promise<readonly Shape[] | null>>();
  const load = (node: WorkflowNode) => {
    const found = outputs.get(node.id) ?? findOutput(world, node);
    outputs.set(node.id, found);
    return found;
  };
  return async (problems, path, { reads }) => {
    const isTested = findTested(reads);
    for (const { root, path: names } of reads) {
      const [id = "", ...members] = names;
      const node = root === "Node" ? graph.nodes.get(id) : undefined;
      if (node === undefined || members.length === 0) continue;
      await pace();
      const shapes = await load(node);
      const missing = shapes === null ? null : findMissing(budget, shapes, members);
      if (missing === null || isTested(root, [id, ...missing.names])) continue;
      const message = `The output of "${id}" has no member ${quote(missing.names.join("."))}.`;
      problems.warn(path, message, () => describeMembers(id, missing));
    }
  };
}

export type MissingMember = { names: string[]; in: readonly Shape[] };

/** The first of some nested members that is missing, with those before it. Null if none is known to be. */
export function findMissing(
  budget: ShapeBudget,
  shapes: readonly Shape[],
  members: readonly string[],
): MissingMember | null {
  let inside = shapes;
  for (const [at, name] of members.entries()) {
    const found = findMember(budget, inside, name);
    if (found.kind === "open") return null;
    if (found.kind === "none") return { names: members.slice(0, at + 1), in: inside };
    inside = found.shapes;
  }
  return null;
}

/** Says of a value whether the template tests for it, at whatever place in it. */
export function findTested(
  reads: References["reads"],
): (root: References["reads"][number]["root"], path: readonly string[]) => boolean {
  const toKey = (root: string, path: readonly string[]) => JSON.stringify([root, ...path]);
  const tested = new Set(
    reads.flatMap(({ root, path, isTested }) => (isTested ? [toKey(root, path)] : [])),
  );
  return (root, path) => tested.size > 0 && tested.has(toKey(root, path));
}

function describeMembers(id: string, { names, in: shapes }: MissingMember): string {
  const known = listMembers(shapes);
  if (known.length > 0) return suggestOne(names.at(-1) ?? "", known, "Members");
  const where = [id, ...names.slice(0, -1)].join(".");
  return `It is no object. Of a list, read one item, as in (index .Node.${where} 0), or use range.`;
}
