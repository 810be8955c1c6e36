import { writeSync } from "node:fs";
import { constants } from "node:os";
import { getSystemErrorName } from "node:util";
import { changeUser } from "./change-user.ts";
import { dropCapabilities } from "./drop-capabilities.ts";
import { findBreach } from "./find-breach.ts";
import { findLandlockVersion, restrictThread } from "./landlock.ts";
import {
  type FencePlan,
  type LaunchPlan,
  launchFailureCode,
  planVariable,
  variablePrefix,
} from "./launch-plan.ts";
import { enterGroup, limitTasks, prepareDataLimit } from "./limit-launcher.ts";
import { listRules } from "./list-rules.ts";
import { preventPrivileges } from "./prevent-privileges.ts";
import { openSystemCalls, type SystemCalls } from "./system-calls.ts";

/**
 * Fences this process and then runs a program in its place: with the same process id, pipes and limits.
 * Does not return. Without its fence, the program does not run.
 */
export function serveLauncher(env: Readonly<Record<string, string | undefined>>): never {
  try {
    const [name = "", ...args] = process.argv.slice(3);
    // Safe: the hub has written it.
    const plan: LaunchPlan = JSON.parse(env[planVariable] ?? "");
    const calls = openSystemCalls();
    if (calls === null) throw new Error("the C library cannot be loaded");
    process.chdir(plan.cwd);
    if (plan.limits !== null) enterGroup(plan.limits);
    if (plan.landlock !== null) fenceByLandlock(calls, plan.landlock);
    preventPrivileges(calls);
    if (plan.limits !== null) limitTasks(calls, plan.limits);
    if (plan.user !== null) changeUser(calls, plan.user);
    dropCapabilities(calls);
    if (plan.probe !== null) {
      writeSync(1, JSON.stringify(findBreach(plan.probe)));
      process.exit(0);
    }
    resetProcess(calls);
    const last = plan.limits === null ? null : prepareDataLimit(calls, plan.limits);
    const failure = calls.execute(findFile(plan), [name, ...args], listVariables(env), last);
    throw new Error(`${plan.file} could not be run: ${getSystemErrorName(-failure)}`);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    writeSync(2, `The program was not started: ${reason}\n`);
    process.exit(launchFailureCode);
  }
}

/**
 * The hub's own executable, which runs thin plugins, may lie where another user may not go, such as below /root.
 * This process already runs it.
 */
function findFile({ file, user }: LaunchPlan): string {
  return user !== null && file === process.execPath ? "/proc/self/exe" : file;
}

function fenceByLandlock(calls: SystemCalls, plan: FencePlan): void {
  const version = findLandlockVersion(calls);
  if (version === 0) throw new Error("Landlock is missing");
  restrictThread(calls, version, listRules(plan));
}

const closeRange = 436;
const closeAtExecution = 4;
const descriptorMax = 0xffff_ffff;

/** Takes back what Bun has changed at its start. */
function resetProcess(calls: SystemCalls): void {
  calls.resetSignal(constants.signals.SIGPIPE);
  calls.resetSignal(constants.signals.SIGXFSZ);
  calls.call(closeRange, 3, descriptorMax, closeAtExecution);
}

function listVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    name.startsWith(variablePrefix) ? [`${name.slice(variablePrefix.length)}=${value ?? ""}`] : [],
  );
}
