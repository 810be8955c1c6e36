import { sql } from "kysely";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { bytesOfSteps } from "./workflow-steps.ts";

/** What the newest runs of one workflow take with their steps, about. */
export type WorkflowHolder = { workflowId: string; name: string | null; bytes: number };

/** Of these runs, at most so many steps are read, without their values: more would hold the event loop for long. */
const stepsMax = 10_000;

/**
 * The workflows whose runs take most, among the newest runs of all workflows: who fills the disk now. Of runs with very many
 * steps, a part counts. `name` is null if the workflow was deleted.
 */
export async function listWorkflowHolders(
  db: Db,
  { runs, limit }: { runs: number; limit: number },
): Promise<WorkflowHolder[]> {
  // By a cross join, SQLite begins with the runs. Otherwise it reads the steps of all.
  const { rows } = await sql<{ workflow_id: string; name: string | null; bytes: number }>`
    with newest as (
      select id, workflow_id, event_bytes from workflow_runs order by id desc limit ${runs}
    ), held as (
      select workflow_id, event_bytes as bytes from newest
      union all
      select workflow_id, bytes from (
        select newest.workflow_id, ${bytesOfSteps} as bytes
        from newest cross join workflow_steps where run_id = newest.id limit ${stepsMax}
      ) as steps
    )
    select held.workflow_id, workflows.name, cast(sum(bytes) as bigint) as bytes
    from held left join workflows on workflows.id = held.workflow_id
    group by held.workflow_id, workflows.name order by bytes desc, held.workflow_id limit ${limit}`.execute(
    toKysely(db),
  );
  return rows.map(({ workflow_id: workflowId, name, bytes }) => {
    return { workflowId, name, bytes: Number(bytes) };
  });
}
