import type { HubFileReport } from "@hub/contract/hub-file.ts";
import { transaction } from "../../store/database.ts";
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
};

/** Ends the transaction of a dry run without a trace. */
class DryRunEnd extends Error {}

/**
 * Makes a hub what a file says: first the plugins, then everything else in one transaction, by the same
 * services as pages and the API. What the file does not name stays, unless it is pruned. A dry run does
 * the same and rolls it back, so it finds every mistake that the real one would. Throws `bad_request`
 * with the line of a mistake; then nothing but plugins was changed.
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
  const keys = await services.ring.reload();
  let report: HubFileReport = { dry_run: isDryRun, changes: [], notes: [] };
  try {
    // It may run again. The services make ids and times in it, which then are new ones: nothing of the
    // run before is stored.
    await transaction(services.store.db, async (trx) => {
      const deps = { ...services, store: { ...services.store, db: trx } };
      const changes = [...plugins.changes];
      const notes: string[] = [];
      const context: ApplyContext = {
        ...{ deps, author, keys, refuse, secrets, isPruning, changes, notes },
      };
      await applyTags(context, file);
      await applyUsers(context, file);
      await applyConnectors(context, file, plugins.missing);
      await applyRows(context, file, plugins.missing);
      await applyWorkflows(context, file, plugins.missing);
      await applySettings(context, file);
      report = { dry_run: isDryRun, changes, notes };
      if (isDryRun) throw new DryRunEnd();
    });
  } catch (thrown) {
    if (!(thrown instanceof DryRunEnd)) throw thrown;
  }
  return report;
}
