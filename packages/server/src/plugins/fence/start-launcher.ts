import { findLauncher } from "./find-launcher.ts";
import { type LaunchPlan, planVariable, variablePrefix } from "./launch-plan.ts";
import type { OutsideProgram, ProgramStart } from "./outside-program.ts";

/** The start of the launcher, which reads its plan and the variables of the program from its environment. */
export function startLauncher(
  plan: LaunchPlan,
  args: readonly string[],
  env: OutsideProgram["env"],
): ProgramStart {
  const launcher = findLauncher();
  const variables = Object.entries(env).map(
    ([name, value]) => [`${variablePrefix}${name}`, value] as const,
  );
  return {
    command: launcher.command,
    args: [...launcher.args, ...args],
    env: {
      ...launcher.env,
      ...Object.fromEntries(variables),
      [planVariable]: JSON.stringify(plan),
    },
    cwd: "/",
  };
}
