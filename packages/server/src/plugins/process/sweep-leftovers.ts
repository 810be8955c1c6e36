import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { killGroup } from "../../lib/process/kill-group.ts";
import {
  findProcess,
  findStart,
  type ProcessIdentity,
  readProcessSpace,
} from "../../lib/process/process-identity.ts";
import { runtimePrefix } from "../../lib/text/hide-paths.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import { endMarked } from "./end-marked.ts";
import type { Log } from "./plugin-log.ts";
import { ownerFile, processFile } from "./runtime-folder.ts";

const processSchema = z.object({
  pid: z.int().positive(),
  startedAt: z.string().min(1),
  program: z.string().nullable(),
});
const ownerSchema = processSchema.extend({ space: z.string(), mark: z.string().default("") });

/**
 * Ends the plugins of dead hubs and removes their folders. Only records of this user are read, and a
 * process is ended only if its pid, start time and program, if recorded, match the record.
 */
export async function sweepLeftovers(deps: { log: Log }, systemTmp: string): Promise<void> {
  for (const tmp of new Set([systemTmp, "/tmp"])) {
    for (const name of listFolders(tmp)) {
      const folder = join(tmp, name);
      await sweepFolder(deps, folder).catch((err: unknown) => {
        // Another hub that starts now may have removed it.
        if (existsSync(folder))
          deps.log.warn({ err, folder }, "Cannot clean up after a hub that was killed");
      });
      await yieldToEventLoop();
    }
  }
}

function listFolders(tmp: string): string[] {
  try {
    return readdirSync(tmp).filter((name) => name.startsWith(runtimePrefix));
  } catch {
    return [];
  }
}

async function sweepFolder({ log }: { log: Log }, folder: string): Promise<void> {
  // Another user who can write to the folder could name any process.
  if (!isOurs(folder)) return;
  const owner = readRecord(join(folder, ownerFile), ownerSchema);
  // Pids of another machine, boot or container are not valid here.
  if (owner === null || owner.space !== readProcessSpace() || isAlive(owner)) return;
  let ended = 0;
  for (const name of readdirSync(folder)) {
    const leftover = readRecord(join(folder, name, processFile), processSchema);
    if (leftover === null || !isAlive(leftover)) continue;
    kill(leftover);
    ended += 1;
  }
  ended += await endMarked(owner.mark);
  rmSync(folder, { recursive: true, force: true });
  log.info({ folder, ended }, "Cleaned up after a hub that was killed");
}

function isOurs(folder: string): boolean {
  try {
    const stat = lstatSync(folder);
    // The group of HUB_PLUGIN_USER may pass.
    const isPrivate = process.platform === "win32" || (stat.mode & 0o067) === 0;
    return stat.isDirectory() && isPrivate && stat.uid === (process.getuid?.() ?? stat.uid);
  } catch {
    return false;
  }
}

function readRecord<T>(path: string, schema: z.ZodType<T>): T | null {
  try {
    return schema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return null;
  }
}

function isAlive(recorded: ProcessIdentity): boolean {
  const found = findProcess(recorded.pid);
  return (
    found !== null &&
    found.startedAt === recorded.startedAt &&
    // Not recorded if it was started by a launcher. The program of an updated plugin may have been
    // moved, but its name is the same.
    (recorded.program === null || toName(found.program) === toName(recorded.program))
  );
}

function toName(program: string | null): string | undefined {
  return program?.split("/").at(-1);
}

function kill(leftover: ProcessIdentity): void {
  if (killGroup(leftover, "SIGKILL") || findStart(leftover.pid) !== leftover.startedAt) return;
  try {
    process.kill(leftover.pid, "SIGKILL");
  } catch {
    // It has already ended.
  }
}
