import type { WorkflowProblem } from "@hub/contract/workflow-problem.ts";
import type { Body } from "../../graph/body.ts";
import type { CheckedBody } from "../draft/use-draft.ts";

/** A problem with the item that it is about. */
export type ItemProblem = WorkflowProblem & {
  /** Null for a problem of the body as a whole. */
  id: string | null;
  /** The names below the item, such as `["params", "to"]`. */
  field: string[];
};

/** The problems with their items, by the body that was checked. Errors come first. */
export function listItemProblems({ body, problems }: CheckedBody): ItemProblem[] {
  return problems
    .map((problem) => ({ ...problem, ...findProblemItem(body, problem.path) }))
    .sort(
      (one, other) => Number(one.severity === "warning") - Number(other.severity === "warning"),
    );
}

function findProblemItem(body: Body, path: string): { id: string | null; field: string[] } {
  const [list, at, ...field] = path.split("/").slice(1).map(fromPointer);
  const index = Number(at);
  if (list === "nodes") return { id: body.nodes[index]?.id ?? null, field };
  if (list === "triggers") return { id: body.triggers[index]?.id ?? null, field };
  if (list === "edges") return { id: body.edges[index]?.from ?? null, field: ["edges"] };
  return { id: null, field: [] };
}

const fromPointer = (name: string) => name.replaceAll("~1", "/").replaceAll("~0", "~");

export function worstOf(problems: readonly ItemProblem[], id: string): "error" | "warning" | null {
  const own = problems.filter((problem) => problem.id === id);
  if (own.some(({ severity }) => severity === "error")) return "error";
  return own.length > 0 ? "warning" : null;
}
