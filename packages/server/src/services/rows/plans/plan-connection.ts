import type { ConnectionPlan } from "@hub/contract/connection-plan.ts";
import type { TestContext } from "../test-row.ts";
import { examineOperations, presentPlan, toNewOperations } from "./present-plan.ts";
import { type PlanDeps, readSystem, type SystemInput } from "./read-system.ts";

/** Reads an address or a document, and shows what a row of it would offer. Nothing is stored. */
export async function planConnection(
  deps: PlanDeps,
  ctx: TestContext,
  input: SystemInput,
): Promise<ConnectionPlan> {
  const system = await readSystem(deps, ctx, input);
  const operations = toNewOperations(system, { at: 0, isTrusted: false });
  return presentPlan(deps.registry, system, operations, await examineOperations(operations));
}
