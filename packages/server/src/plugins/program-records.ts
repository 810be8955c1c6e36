import { z } from "zod";
import { deleteSetting, findSetting, putSetting } from "../store/settings.ts";
import type { Db } from "../store/tables.ts";

const recordSchema = z.object({
  /** The program's file as it was right before it was read. */
  stamp: z.string(),
  /** What reading it came to. */
  sha256: z.string(),
  /** Which cosign key and signature it was checked with; empty where none is asked for. */
  cosign: z.string(),
});

/** What the last verification of a plugin's program saw. */
export type ProgramRecord = z.infer<typeof recordSchema>;

/**
 * The records of all plugins. They lie in the database: whoever can only write the plugins' folder
 * cannot say there that another program was verified.
 */
export type ProgramRecords = {
  find(key: string): Promise<ProgramRecord | null>;
  put(key: string, record: ProgramRecord): Promise<void>;
  delete(key: string): Promise<void>;
};

export function createProgramRecords(db: Db): ProgramRecords {
  return {
    async find(key) {
      const text = await findSetting(db, toSetting(key));
      if (text === null) return null;
      const parsed = recordSchema.safeParse(JSON.parse(text));
      // One of another version of the hub: the program is read again.
      return parsed.success ? parsed.data : null;
    },
    put: (key, record) => putSetting(db, toSetting(key), JSON.stringify(record)),
    delete: (key) => deleteSetting(db, toSetting(key)),
  };
}

function toSetting(key: string): string {
  return `plugin_program:${key}`;
}
