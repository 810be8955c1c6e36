import { z } from "zod";
import type { Db } from "../database/database.ts";
import { findSetting, putSetting } from "../settings/settings-table.ts";

const key = "last_forwarder";

const forwarderSchema = z.object({ ip: z.string(), at: z.int() });
/** A private address that sent forwarding headers and was no trusted proxy, and when it was seen first by a process (milliseconds). */
export type Forwarder = z.infer<typeof forwarderSchema>;

/** Null if there was none. */
export async function findLastForwarder(db: Db): Promise<Forwarder | null> {
  const text = await findSetting(db, key);
  return text === null ? null : forwarderSchema.parse(JSON.parse(text));
}

export async function recordForwarder(db: Db, forwarder: Forwarder): Promise<void> {
  await putSetting(db, key, JSON.stringify(forwarder));
}
