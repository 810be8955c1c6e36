import { sql } from "kysely";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { type StoredRun, selectRun } from "./workflow-run-columns.ts";

const recentMembers = [
  "id",
  "workflowId",
  "state",
  "mode",
  "createdAt",
  "startedAt",
  "endedAt",
  "scheduledAt",
] as const;

/** A run as lists of workflows draw it. Times are epoch ms. */
export type RecentRun = Pick<StoredRun, (typeof recentMembers)[number]>;

/** The newest runs of each workflow, newest first: of any kind, and at most so many of each. */
export async function listRecentRuns(
  db: Db,
  workflowIds: readonly string[],
  runsMax: number,
): Promise<RecentRun[]> {
  if (workflowIds.length === 0) return [];
  return await toKysely(db)
    .selectFrom((read) =>
      read
        .selectFrom("workflows")
        .select((workflow) => [
          "workflows.id as workflow",
          // Null if there are fewer. Along the index of a workflow's runs.
          workflow
            .selectFrom("workflow_runs as oldest")
            .select("oldest.id")
            .whereRef("oldest.workflow_id", "=", "workflows.id")
            .orderBy("oldest.id", "desc")
            .offset(runsMax - 1)
            .limit(1)
            .as("first"),
        ])
        .where("workflows.id", "in", workflowIds)
        .as("span"),
    )
    .innerJoin("workflow_runs", (join) =>
      join
        .onRef("workflow_runs.workflow_id", "=", "span.workflow")
        .on("workflow_runs.id", ">=", sql<string>`coalesce(span.first, '')`),
    )
    .select(selectRun(recentMembers))
    .orderBy("workflow_runs.id", "desc")
    .execute();
}
