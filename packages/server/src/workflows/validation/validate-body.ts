import type { WorkflowBody } from "@hub/contract/workflow-body.ts";
import type { WorkflowProblem } from "@hub/contract/workflow-problem.ts";
import { checkAnswers } from "./checks/check-answers.ts";
import { createEventCheck } from "./checks/check-event.ts";
import {
  checkCycles,
  checkEdges,
  checkIds,
  checkOutcomes,
  checkReachable,
} from "./checks/check-graph.ts";
import { checkNodes } from "./checks/check-nodes.ts";
import { createOutputCheck, shapeReadsMax } from "./checks/check-outputs.ts";
import { checkSize } from "./checks/check-size.ts";
import { checkTemplates } from "./checks/check-templates.ts";
import { checkTriggers } from "./checks/check-triggers.ts";
import { buildGraph, findReachable } from "./graph/body-graph.ts";
import { findRanBefore } from "./graph/find-ran-before.ts";
import { parseBody } from "./parse-body.ts";
import { createProblemList } from "./problem-list.ts";
import { createPace } from "./validation-pace.ts";
import type { ValidationWorld } from "./validation-world.ts";

/** What the validation found. */
export type ValidatedBody = {
  /** The parsed body; null if the schema refuses it. It may have errors of other kinds. */
  body: WorkflowBody | null;
  /** The errors, and then the warnings. Without an error, the body can be published. */
  problems: WorkflowProblem[];
};

/**
 * Checks a body of any origin. It lets the event loop run other work, so that a body of 1 MiB that is
 * built to be slow does not stop the hub.
 */
export async function validateBody(input: unknown, world: ValidationWorld): Promise<ValidatedBody> {
  const problems = createProblemList();
  const pace = createPace();
  const isReadable = checkSize(problems, input);
  await pace();
  const body = isReadable ? await parseBody({ problems, pace }, input) : null;
  if (body === null) return { body: null, problems: problems.list() };
  await pace();
  const graph = buildGraph(body);
  checkIds(problems, body);
  await checkEdges(problems, body, graph, pace);
  checkOutcomes(problems, body, graph);
  const isAcyclic = checkCycles(problems, body, graph);
  checkReachable(problems, body, graph);
  await checkTriggers({ problems, body, graph, world, pace });
  await checkNodes({ problems, body, world, pace });
  await pace();
  const entries = body.triggers.map(({ entry }) => entry);
  const ranBefore = isAcyclic ? findRanBefore(graph, entries) : null;
  const reachable = findReachable(graph.outgoing, entries);
  if (isAcyclic) await checkAnswers({ problems, body, graph, pace });
  const budget = { left: shapeReadsMax };
  const checkEvent = createEventCheck({ body, graph, world, budget, pace });
  const checkOutputs = createOutputCheck(graph, world, { budget, pace });
  await checkTemplates({
    problems,
    body,
    graph,
    ranBefore,
    reachable,
    checkEvent,
    checkOutputs,
    world,
    pace,
  });
  return { body, problems: problems.list() };
}

/** Whether a body with these problems can be published, and run as a draft. */
export function isValid(problems: readonly WorkflowProblem[]): boolean {
  return problems.every(({ severity }) => severity !== "error");
}
