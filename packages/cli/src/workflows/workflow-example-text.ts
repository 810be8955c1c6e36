import type { WorkflowExample } from "@hub/contract/workflow-example.ts";
import { toFacts, toTable } from "../text/table.ts";

export function toExampleTable(examples: readonly WorkflowExample[]): string {
  const none = "There are no examples.";
  return toTable(
    examples,
    [
      ["id", ({ id }) => id],
      ["name", ({ name }) => name],
      ["rows", ({ needs }) => needs.rows.map(({ name }) => name).join(", ")],
    ],
    none,
  );
}

/** What an example does and what must be chosen for it. */
export function toExampleText({ id, name, description, needs }: WorkflowExample): string {
  const facts = toFacts([
    ["id", id],
    ["name", name],
    ["description", description],
  ]);
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
  const table = toTable(
    all,
    [
      ["needs", ({ option }) => option],
      ["what", ({ what }) => what],
    ],
    "It needs nothing.",
  );
  return `${facts}\n\n${table}`;
}
