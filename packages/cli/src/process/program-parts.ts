import {
  codeCommand,
  integrityCommand,
  launcherCommand,
  planWriterCommand,
  watchdogCommand,
} from "@hub/server/lib/process/part-commands.ts";

/** Parts of the program that it starts as processes of their own, by hidden commands. They need nothing else of it. */
const parts = new Map<string | undefined, () => Promise<unknown>>([
  [codeCommand, () => import("@hub/server/sandbox/code-process.ts")],
  [integrityCommand, () => import("@hub/server/store/integrity/integrity-process.ts")],
  [launcherCommand, () => import("@hub/server/plugins/fence/program-launcher.ts")],
  [planWriterCommand, () => import("@hub/server/store/plan/plan-writer-process.ts")],
  [watchdogCommand, () => import("@hub/server/plugins/process/plugin-watchdog.ts")],
]);

/** Runs the part that the first argument names. False if it names none. */
export async function runPart(argv: readonly string[]): Promise<boolean> {
  const load = parts.get(argv[2]);
  await load?.();
  return load !== undefined;
}
