import type { WorkflowExample } from "@hub/contract/workflow-example.ts";
import { detail, table } from "../declare/view.ts";

export const toExampleTable = table<WorkflowExample>(
  ["id", "name", ["rows", ({ needs }) => needs.rows.map(({ name }) => name)]],
  "There are no examples.",
);

const toExampleFacts = detail<WorkflowExample>(["id", "name", "description"]);

const toNeedTable = table<{ option: string; what: string }>(
  [["needs", "option"], "what"],
  "It needs nothing.",
);

/** What an example does and what must be chosen for it. */
export function toExampleText(example: WorkflowExample): string {
  const { needs } = example;
  const rows = needs.rows.map((row) => ({
    option: `--row ${row.name}=`,
    what: `${row.description} Connector ${row.connector}: ${row.operations.join(", ")}.`,
  }));
  const env = needs.env.map((one) => ({ option: `--env ${one.name}=`, what: one.description }));
  const secrets = needs.secrets.map((one) => ({
    option: `secret set ${one.name}`,
    what: one.description,
  }));
  const workflows = needs.workflows.map((one) => ({ option: one.name, what: one.description }));
  const all = [...rows, ...env, ...secrets, ...workflows];
  return `${toExampleFacts(example)}\n\n${toNeedTable(all)}`;
}
