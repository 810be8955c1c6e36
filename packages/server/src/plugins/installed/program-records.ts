import { z } from "zod";
import type { Db } from "../../store/database/database.ts";
import {
  deleteSetting,
  findSetting,
  listSettings,
  putSetting,
} from "../../store/settings/settings-table.ts";

const recordSchema = z.object({
  /** The stamp of the program's file right before it was read. */
  stamp: z.string(),
  /** The hash of the program. */
  sha256: z.string(),
  /** Identifies the cosign key and signature; empty if none is required. */
  cosign: z.string(),
});

const storedSchema = recordSchema.extend({ at: z.number().default(0) });

/** The result of the last verification of a plugin's program. */
export type ProgramRecord = z.infer<typeof recordSchema>;

/**
 * The records of all plugins. They are in the database, so that write access to the plugins folder
 * does not suffice to mark another program as verified.
 */
export type ProgramRecords = {
  find(key: string): Promise<ProgramRecord | null>;
  put(key: string, record: ProgramRecord): Promise<void>;
  delete(key: string): Promise<void>;
  /** Deletes records older than this, such as those of machines that are gone. */
  purge(storedBefore: number): Promise<void>;
};

type RecordDeps = {
  db: Db;
  /** Names the folder if several servers with different folders share the database. */
  folderName: string | null;
  now(): number;
};

const prefix = "plugin_program:";

export function createProgramRecords({ db, folderName, now }: RecordDeps): ProgramRecords {
  const toSetting = (key: string) =>
    folderName === null ? `${prefix}${key}` : `${prefix}${key}:${folderName}`;
  return {
    async find(key) {
      const text = await findSetting(db, toSetting(key));
      if (text === null) return null;
      const parsed = recordSchema.safeParse(JSON.parse(text));
      // A record of another version of the hub is ignored.
      return parsed.success ? parsed.data : null;
    },
    put: (key, record) => putSetting(db, toSetting(key), JSON.stringify({ ...record, at: now() })),
    delete: (key) => deleteSetting(db, toSetting(key)),
    async purge(storedBefore) {
      for (const [setting, text] of await listSettings(db, prefix)) {
        const parsed = storedSchema.safeParse(JSON.parse(text));
        if (!parsed.success || parsed.data.at < storedBefore) await deleteSetting(db, setting);
      }
    },
  };
}
