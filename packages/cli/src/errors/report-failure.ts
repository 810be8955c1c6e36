import { containsText, splitText, toJsonText } from "@hub/connector";
import type { Problem } from "@hub/contract/problem-document.ts";
import { CommanderError } from "commander";
import type { Terminal } from "../process/terminal.ts";
import { toPrintable } from "../text/table.ts";
import { exitCodes, MistypedError } from "./usage-error.ts";

/** Prints the failure on standard error and returns the exit code. Help is not a failure. */
export function reportFailure(terminal: Terminal, thrown: unknown, isJson: boolean): number {
  if (thrown instanceof CommanderError) {
    if (thrown.exitCode === 0) return 0;
    // Commander has already printed the help of a group without a subcommand.
    if (thrown.code === "commander.help") return exitCodes.usage;
    const isCancelled = thrown.code === "hub.cancelled";
    const error = thrown.message.replace(/^error: /, "").replace("\n", " ");
    writeProblem(terminal, { error, code: isCancelled ? "cancelled" : "usage" }, isJson);
    if (thrown instanceof MistypedError && !isJson) {
      terminal.stderr.write(`See ${thrown.command} --help.\n`);
    }
    return isCancelled ? exitCodes.failure : exitCodes.usage;
  }
  writeProblem(terminal, toProblem(thrown), isJson);
  return exitCodes.failure;
}

/** Writes one line to standard error: JSON with `--json`, otherwise a sentence, or several in lines. */
export function writeProblem(terminal: Terminal, problem: Problem, isJson: boolean): void {
  const line = isJson
    ? toJsonText(problem)
    : `error: ${splitText(problem.error, "\n").map(toPrintable).join("\n  ")}`;
  terminal.stderr.write(`${line}\n${isJson ? "" : toOutputText(problem)}`);
}

/** The last lines that a program of a row or plugin wrote, below the error. Empty if there are none. */
export function toOutputText(answer: object): string {
  const output = "program_output" in answer ? answer.program_output : null;
  if (typeof output !== "string") return "";
  const lines = splitText(output, "\n").map((line) => `  ${toPrintable(line)}\n`);
  return `The program's last lines:\n${lines.join("")}`;
}

/** Recognises HubErrors by their shape, because importing the class would load the server. */
export function toProblem(thrown: unknown): Problem {
  if (!(thrown instanceof Error)) return { error: String(thrown), code: "internal" };
  const isHubError = thrown.name === "HubError" && "code" in thrown && "detail" in thrown;
  if (!isHubError) return { error: thrown.message, code: "internal" };
  // Users of the command line run the hub, so they may see the cause.
  const cause = thrown.cause instanceof Error ? thrown.cause.message : "";
  const local = "localMessage" in thrown ? thrown.localMessage : null;
  const message = typeof local === "string" ? local : thrown.message;
  return {
    ...Object(thrown.detail),
    error: containsText(message, cause) ? message : `${message} (${cause})`,
    code: String(thrown.code),
  };
}
