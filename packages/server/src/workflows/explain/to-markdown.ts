import { toCodeSpan } from "@hub/contract/code-spans.ts";
import type { WorkflowExplanation } from "@hub/contract/workflow-explanation.ts";

type Explained = Pick<WorkflowExplanation, "summary" | "triggers" | "steps">;

/** The parts of an explanation as one text. Data is in code spans already. */
export function toMarkdown(name: string, { summary, triggers, steps }: Explained): string {
  const toItem = (mark: string, id: string, label: string | null, sentences: readonly string[]) =>
    `${mark} ${toCodeSpan(id)}${label === null ? "" : ` (${toCodeSpan(label)})`}: ${sentences.join(" ")}`;
  return toSections([
    [`# ${toCodeSpan(name)}`, [summary]],
    [
      "## What starts it",
      triggers.map(({ id, label, sentences }) => toItem("-", id, label, sentences)),
    ],
    [
      "## What it does",
      steps.map(({ node_id: id, label, sentences }, at) =>
        toItem(`${at + 1}.`, id, label, sentences),
      ),
    ],
  ]);
}

/** Headings with their lines. Headings without lines are left out. */
export function toSections(sections: readonly (readonly [string, readonly string[]])[]): string {
  return sections
    .filter(([, lines]) => lines.length > 0)
    .map(([heading, lines]) => `${heading}\n\n${lines.join("\n")}\n`)
    .join("\n");
}
