import type { Db } from "../database/database.ts";
import { claimSetting, findSetting } from "./settings-table.ts";

const key = "hub_id";

/** The random id of this hub, which all processes of its database share. Made at its first use. */
export function createHubIdReader(db: Db): () => Promise<string> {
  let reading: Promise<string> | null = null;
  return () => {
    reading ??= readHubId(db).catch((failure: unknown) => {
      // Read again by the next call.
      reading = null;
      throw failure;
    });
    return reading;
  };
}

async function readHubId(db: Db): Promise<string> {
  const known = await findSetting(db, key);
  if (known !== null) return known;
  // Of processes that make one at once, the first is followed by all.
  await claimSetting(db, key, crypto.randomUUID());
  return (await findSetting(db, key)) ?? "";
}
