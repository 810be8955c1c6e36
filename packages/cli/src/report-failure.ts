import type { Problem } from "@hub/contract/problem.ts";
import { CommanderError } from "commander";
import { toPrintable } from "./table.ts";
import type { Terminal } from "./terminal.ts";
import { exitCodes, MistypedError } from "./usage-error.ts";

/** Says on standard error what went wrong, and returns the exit code. Help is no failure. */
export function reportFailure(terminal: Terminal, thrown: unknown, isJson: boolean): number {
  if (thrown instanceof CommanderError) {
    if (thrown.exitCode === 0) return 0;
    // A missing subcommand has printed its help already.
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

/** One line on standard error: JSON for programs, a sentence for people. */
export function writeProblem(terminal: Terminal, problem: Problem, isJson: boolean): void {
  const line = isJson ? JSON.stringify(problem) : `error: ${toPrintable(problem.error)}`;
  terminal.stderr.write(`${line}\n`);
}

/** HubErrors are known by their shape: their class would pull the server in for every failure. */
export function toProblem(thrown: unknown): Problem {
  if (!(thrown instanceof Error)) return { error: String(thrown), code: "internal" };
  const isHubError = thrown.name === "HubError" && "code" in thrown && "detail" in thrown;
  if (!isHubError) return { error: thrown.message, code: "internal" };
  // The person at the command line runs the hub: for them the cause is no secret but the way out.
  const cause = thrown.cause instanceof Error ? thrown.cause.message : "";
  const local = "localMessage" in thrown ? thrown.localMessage : null;
  const message = typeof local === "string" ? local : thrown.message;
  return {
    ...Object(thrown.detail),
    error: message.includes(cause) ? message : `${message} (${cause})`,
    code: String(thrown.code),
  };
}
