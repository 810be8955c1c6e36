import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";

/** What keeps one running server from using an installed plugin. */
export type PluginProblem = {
  instanceId: string;
  key: string;
  message: string;
  recordedAt: number;
};

export async function putPluginProblem(db: Db, problem: PluginProblem): Promise<void> {
  const { instanceId, key, message, recordedAt } = problem;
  await toKysely(db)
    .insertInto("plugin_problems")
    .values({ instance_id: instanceId, plugin_key: key, message, noted_at: recordedAt })
    .onConflict((conflict) =>
      conflict
        .columns(["instance_id", "plugin_key"])
        .doUpdateSet({ message, noted_at: recordedAt }),
    )
    .execute();
}

export async function deletePluginProblem(
  db: Db,
  { instanceId, key }: Pick<PluginProblem, "instanceId" | "key">,
): Promise<void> {
  await toKysely(db)
    .deleteFrom("plugin_problems")
    .where("instance_id", "=", instanceId)
    .where("plugin_key", "=", key)
    .execute();
}

/** The problems of all servers, by plugin. Those of a server end with it. */
export async function listPluginProblems(db: Db): Promise<PluginProblem[]> {
  return await toKysely(db)
    .selectFrom("plugin_problems")
    .select(["instance_id as instanceId", "plugin_key as key", "message", "noted_at as recordedAt"])
    .orderBy("plugin_key")
    .orderBy("instance_id")
    .execute();
}
