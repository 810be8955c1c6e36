import type { WorkflowOpened } from "@hub/contract/workflow.ts";
import { toCancelled, toUsageError } from "../errors/usage-error.ts";
import { isInteractive, type Terminal } from "../process/terminal.ts";
import { toOpenedTable } from "./workflow-text.ts";

/**
 * Shows what users who share a tag will be able to make the owner call, and asks whether to go on.
 * Without a terminal, `--yes` is needed.
 */
export async function confirmOpened(
  terminal: Terminal,
  opened: readonly WorkflowOpened[],
  isConfirmed: boolean,
): Promise<void> {
  if (isConfirmed || opened.length === 0) return;
  const message = `Users who share a tag with the workflow will be able to start it, and so to make its owner call:\n${toOpenedTable(opened)}`;
  if (!isInteractive(terminal)) throw toUsageError(`${message}\nIf this is intended, add --yes.`);
  const { confirm } = await import("@clack/prompts");
  const { stdin: input, stderr: output } = terminal;
  output.write(`${message}\n`);
  const answer = await confirm({ message: "Go on?", input, output, initialValue: false });
  if (answer !== true) throw toCancelled();
}
