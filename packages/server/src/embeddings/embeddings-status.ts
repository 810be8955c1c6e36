import { z } from "zod";
import type { Db } from "../store/database/database.ts";
import { findSetting, putSetting } from "../store/settings/settings-table.ts";

const statusSchema = z.object({
  model: z.string(),
  texts: z.number(),
  vectors: z.number(),
  /** The last failure of the endpoint since the process started. */
  failure: z.object({ at: z.number(), message: z.string() }).nullable(),
});

/** How far the process that last made vectors is, for other processes. */
export type EmbeddingsStatus = z.infer<typeof statusSchema>;

const key = "embeddings.status";

export async function putEmbeddingsStatus(db: Db, status: EmbeddingsStatus): Promise<void> {
  const text = JSON.stringify(status);
  if ((await findSetting(db, key)) !== text) await putSetting(db, key, text);
}

/** Null if no process has made vectors yet. */
export async function findEmbeddingsStatus(db: Db): Promise<EmbeddingsStatus | null> {
  const text = await findSetting(db, key);
  return text === null ? null : statusSchema.parse(JSON.parse(text));
}
