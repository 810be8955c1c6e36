import type { HubFileReport } from "@hub/contract/hub-file.ts";
import type { PlanWriter } from "../../store/plan/open-plan-writer.ts";
import { planChanges, storePlan } from "../../store/plan/plan-changes.ts";
import type { ServiceDeps } from "../service-deps.ts";
import type { ApplyContext } from "./apply-context.ts";
import { applyPlugins } from "./apply-plugins.ts";
import { applyRows } from "./apply-rows.ts";
import { applyConnectors, applySettings, applyTags } from "./apply-settings.ts";
import { applyUsers } from "./apply-users.ts";
import { applyWorkflows } from "./apply-workflows.ts";
import type { ReadHubFile } from "./read-hub-file.ts";
import { type ReadReference, resolveSecrets } from "./resolve-secrets.ts";

export type ApplyOptions = {
  isDryRun: boolean;
  isPruning: boolean;
  /** The folder that relative sources of plugins start at. */
  cwd: string;
  readReference: ReadReference;
  /** Stores the plan in place of this process. */
  writer?: PlanWriter | undefined;
};

/**
 * Makes a hub what a file says: first the plugins, then everything else, by the same services as pages
 * and the API. They run in a plan, which blocks no other writer; a dry run ends with it, so it finds every
 * mistake that the real one would. Then one short transaction stores what they wrote. What the file does not
 * name stays, unless it is pruned. Throws `bad_request` with the line of a mistake, and `conflict` if the
 * configuration has changed since the plan; then nothing but plugins was changed.
 */
export async function applyHubFile(
  services: ServiceDeps,
  author: ApplyContext["author"],
  { file, refuse }: ReadHubFile,
  options: ApplyOptions,
): Promise<HubFileReport> {
  const { isDryRun, isPruning } = options;
  const plugins = await applyPlugins(services, author.actor, { file, refuse }, options);
  const secrets = await resolveSecrets(services, { file, refuse }, options.readReference);
  const plan = await planChanges(services.store.db, services.now(), async (trx) => {
    // After the plan has read the version of the keys: if they change meanwhile, it is not stored.
    const keys = await services.ring.reload();
    const ring = { current: () => keys, reload: async () => keys };
    const deps = { ...services, ring, store: { ...services.store, db: trx } };
    const changes = [...plugins.changes];
    const notes: string[] = [];
    const context: ApplyContext = {
      deps,
      author,
      keys,
      refuse,
      secrets,
      isPruning,
      changes,
      notes,
    };
    await applyTags(context, file);
    await applyUsers(context, file);
    await applyConnectors(context, file, plugins.missing);
    await applyRows(context, file, plugins.missing);
    await applyWorkflows(context, file, plugins.missing);
    await applySettings(context, file);
    return { dry_run: isDryRun, changes, notes };
  });
  if (isDryRun || plan.statements.length === 0) return plan.result;
  await (options.writer?.store(plan) ?? storePlan(services.store.db, plan));
  return plan.result;
}
