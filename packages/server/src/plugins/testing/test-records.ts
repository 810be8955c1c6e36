import type { ProgramRecord, ProgramRecords } from "../installed/program-records.ts";

/** Records in memory. */
export function createTestRecords(): ProgramRecords {
  const records = new Map<string, ProgramRecord>();
  return {
    find: async (key) => records.get(key) ?? null,
    async put(key, record) {
      records.set(key, record);
    },
    async delete(key) {
      records.delete(key);
    },
    purge: async () => records.clear(),
  };
}
