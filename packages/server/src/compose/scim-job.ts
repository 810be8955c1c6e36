import type { Job } from "../jobs/create-jobs.ts";
import type { ScimGroupDeps } from "../services/scim/scim-deps.ts";
import { listGroupsDue } from "../store/scim/scim-members-table.ts";

/** Gives users the tags of their SCIM groups, where a server died before it had done so. */
export function createScimJob(deps: ScimGroupDeps): Job {
  return {
    name: "apply-scim-groups",
    everyMs: 60_000,
    runsAtStart: true,
    async run(isOver = () => false) {
      if ((await listGroupsDue(deps.store.db, { limit: 1 })).length === 0) return;
      // Loaded when there is something to do.
      const { applyDueGroups } = await import("../services/scim/groups/apply-groups.ts");
      await applyDueGroups(deps, isOver);
    },
  };
}
