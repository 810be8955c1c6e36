import type { WorkflowResume } from "@hub/contract/workflow-run.ts";
import { parseExactJson } from "../../../../api/exact-json.ts";

type Step = WorkflowResume["undecided"][number];

/** A step that may have happened, or the items of a node about which one decision is made. */
export type Question = { key: string; title: string; message: string; steps: readonly Step[] };

/** What is chosen for a question. The output is typed as JSON. */
export type Choice = { decision: "succeeded" | "repeat" | "failed"; output: string };
export type Choices = Readonly<Record<string, Choice>>;

/** With more steps, there is one question for each node. */
const eachMax = 20;

export function listQuestions(steps: readonly Step[], toName: (id: string) => string): Question[] {
  if (steps.length <= eachMax) {
    return steps.map((step) => {
      const { node_id: node, item, message } = step;
      const end = item === null ? "" : `, item ${item}`;
      return { key: `${node}${end}`, title: `${toName(node)}${end}`, message, steps: [step] };
    });
  }
  const byNode = Map.groupBy(steps, ({ node_id: node }) => node);
  return [...byNode].map(([node, own]) => ({
    key: node,
    steps: own,
    message: own[0]?.message ?? "",
    title: own.length === 1 ? toName(node) : `${toName(node)}, all ${own.length} items`,
  }));
}

type Decision = {
  node_id: string;
  item?: number;
  decision: Choice["decision"];
  output?: unknown;
};

/** The decisions of all steps, and what is wrong with an output by the key of its question. */
export function readDecisions(
  questions: readonly Question[],
  choices: Choices,
): { isComplete: boolean; decisions: Decision[]; problems: Readonly<Record<string, string>> } {
  const decisions: Decision[] = [];
  const problems: Record<string, string> = {};
  for (const { key, steps } of questions) {
    const choice = choices[key];
    if (choice === undefined) continue;
    const { decision } = choice;
    let output: unknown;
    try {
      if (decision === "succeeded") output = parseExactJson(choice.output.trim() || "null");
    } catch {
      problems[key] = "This is not valid JSON.";
      continue;
    }
    for (const { node_id, item } of steps) {
      decisions.push({
        node_id,
        decision,
        ...(item !== null && { item }),
        ...(decision === "succeeded" && { output }),
      });
    }
  }
  const isComplete = questions.every(
    ({ key }) => choices[key] !== undefined && problems[key] === undefined,
  );
  return { isComplete, decisions, problems };
}
