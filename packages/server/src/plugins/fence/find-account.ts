import { readFileSync } from "node:fs";
import type { Account } from "./launch-plan.ts";

/**
 * Finds a user of this machine by name or number, with the primary group. `1000:1000` needs no entry in
 * `/etc/passwd`. Null if there is none, or if it is root.
 */
export function findAccount(text: string, passwd = readPasswd()): Account | null {
  const numbers = /^(\d+):(\d+)$/.exec(text);
  const fields = passwd
    .split("\n")
    .map((line) => line.split(":"))
    .find(([name, , uid]) => name === text || uid === text);
  const uid = Number(numbers?.[1] ?? fields?.[2] ?? 0);
  const gid = Number(numbers?.[2] ?? fields?.[3] ?? 0);
  const isUsable = [uid, gid].every((id) => Number.isInteger(id) && id > 0 && id < idMax);
  return isUsable ? { uid, gid } : null;
}

/** The last number stands for "no change". */
const idMax = 0xffff_ffff;

function readPasswd(): string {
  try {
    return readFileSync("/etc/passwd", "utf8");
  } catch {
    // A small container may have none.
    return "";
  }
}
