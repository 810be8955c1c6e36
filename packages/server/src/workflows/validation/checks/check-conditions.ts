import { defaultCase, errorCase } from "@hub/contract/workflow-cases.ts";
import type { WorkflowCondition } from "@hub/contract/workflow-condition.ts";
import type { NodeOf } from "@hub/contract/workflow-node.ts";
import { unaryOperators } from "@hub/contract/workflow-operators.ts";
import { compilePattern, PatternError } from "../../conditions/pattern.ts";
import type { Path, ProblemList } from "../problem-list.ts";
import type { Pace } from "../validation-pace.ts";

type CasesCheck = { problems: ProblemList; pace: Pace };

type Comparison = Pick<WorkflowCondition, "op" | "right">;

/** Checks the second value of a comparison. */
export function checkCondition(problems: ProblemList, path: Path, { op, right }: Comparison): void {
  const at = [...path, "right"];
  if (unaryOperators.has(op)) {
    if (right === undefined) return;
    problems.warn(at, `${op} has no second value.`, "Remove right.");
  } else if (right === undefined) {
    problems.error(at, `${op} needs a second value.`, "Set right. It may be null.");
  } else if (op === "matches") checkPattern(problems, at, right);
}

function checkPattern(problems: ProblemList, path: Path, right: unknown): void {
  const hint = "For a text that must match as a whole, begin with ^ and end with $.";
  if (typeof right !== "string") {
    problems.error(path, "The pattern of matches must be a text.", hint);
    return;
  }
  if (right.includes("{{")) return;
  try {
    compilePattern(right);
  } catch (thrown) {
    if (!(thrown instanceof PatternError)) throw thrown;
    problems.error(path, thrown.message, hint);
  }
}

/** Checks the names and comparisons of the cases of a switch. */
export async function checkCases(
  check: CasesCheck,
  path: Path,
  node: NodeOf<"switch">,
): Promise<void> {
  const { problems, pace } = check;
  const known = new Set<string>();
  for (const [index, one] of node.cases.entries()) {
    await pace();
    const at = [...path, "cases", index];
    if (one.case === defaultCase || one.case === errorCase) {
      const message = `"${one.case}" cannot be the name of a case.`;
      const hint = `Every switch has the case ${defaultCase}, and ${errorCase} with on_error: route.`;
      problems.error([...at, "case"], message, hint);
    } else if (known.has(one.case)) {
      const message = `The case "${one.case}" is there twice.`;
      problems.error(
        [...at, "case"],
        message,
        "Use another name. Several cases can lead to one node.",
      );
    }
    known.add(one.case);
    checkCondition(problems, at, one);
  }
}
