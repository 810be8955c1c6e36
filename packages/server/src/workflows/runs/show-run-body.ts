import type { Caller } from "../../caller.ts";
import { loadBody } from "../definition/body-text.ts";
import { loadPermittedRun } from "./load-permitted-run.ts";
import type { RunVerbDeps } from "./run-verb-deps.ts";

/** The body that a run runs. The draft of today may be another one. */
export async function showRunBody(
  { store }: Pick<RunVerbDeps, "store">,
  caller: Caller,
  target: { workflow: string; run: string },
): Promise<{ version: number | null; body: unknown }> {
  const { run } = await loadPermittedRun({ store }, caller, target, "manage");
  return { version: run.version, body: await loadBody(store.db, run.bodyId) };
}
