import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { findStart, readProcessSpace } from "../process/process-identity.ts";

/** What a running server says of itself in its data folder, for the commands beside it. Has no secret. */
export type ServingMark = z.infer<typeof markSchema>;

const markSchema = z.object({
  pid: z.int(),
  /** With the pid, these name the process: pids are given again, and differ between containers. */
  process_started_at: z.string().nullable(),
  process_space: z.string(),
  /** ISO 8601. */
  since: z.string(),
  /** Where this machine reaches it. */
  url: z.string(),
  is_shared: z.boolean(),
  /** Its database, without a user and a password. */
  database: z.string(),
  /** The random id of the hub, which its database has. */
  hub_id: z.string(),
  /** The id of the key that sealed when it began. */
  key_id: z.string(),
  /** The values of all settings as `hub doctor` shows them. */
  settings: z.record(z.string(), z.string().nullable()),
});

type OwnMark = Omit<ServingMark, "pid" | "process_started_at" | "process_space">;

/** Leaves a mark of this process. Returns a function that takes it away. */
export async function writeMark(dataDir: string, own: OwnMark): Promise<() => Promise<void>> {
  const { pid } = process;
  const mark: ServingMark = {
    ...own,
    pid,
    process_started_at: findStart(pid),
    process_space: readProcessSpace(),
  };
  const folder = toFolder(dataDir);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeOld(folder);
  const file = join(folder, `${pid}.json`);
  const unfinished = `${file}.new`;
  await writeFile(unfinished, JSON.stringify(mark, null, 2), { mode: 0o600 });
  await rename(unfinished, file);
  return () => rm(file, { force: true });
}

/** The marks of the servers that run now on this machine with this data folder. */
export async function listMarks(dataDir: string): Promise<ServingMark[]> {
  const folder = toFolder(dataDir);
  const marks = await Promise.all((await listFiles(folder)).map((name) => readMark(folder, name)));
  return marks.filter((mark) => mark !== null && isAlive(mark)) as ServingMark[];
}

const toFolder = (dataDir: string) => join(dataDir, "serving");

async function listFiles(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => /^\d+\.json$/.test(name)).sort();
  } catch {
    // No server has run here, or this user cannot see it.
    return [];
  }
}

/** Null if it cannot be read, such as one of another version of the hub. */
async function readMark(folder: string, name: string): Promise<ServingMark | null> {
  try {
    return markSchema.parse(JSON.parse(await readFile(join(folder, name), "utf8")));
  } catch {
    return null;
  }
}

function isAlive({ pid, process_started_at: startedAt, process_space: space }: ServingMark) {
  return space === readProcessSpace() && startedAt !== null && findStart(pid) === startedAt;
}

/** Of servers that were killed. */
async function removeOld(folder: string): Promise<void> {
  for (const name of await listFiles(folder)) {
    const mark = await readMark(folder, name);
    if (mark === null || !isAlive(mark)) await rm(join(folder, name), { force: true });
  }
}
