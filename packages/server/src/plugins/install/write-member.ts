import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { refuseArchive, type UnpackBudget } from "./unpack-budget.ts";

type Member = { plugin: string; path: string; content: Readable; target: string };

/** Writes one member below `target`. The budget has checked its path. */
export async function writeMember(budget: UnpackBudget, member: Member): Promise<void> {
  const path = join(member.target, member.path);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const count = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      try {
        budget.takeBytes(chunk.byteLength);
        done(null, chunk);
      } catch (refusal) {
        // A budget throws only HubErrors.
        done(refusal as Error);
      }
    },
  });
  try {
    // `wx`: a second member with the same name, ignoring case, must not replace the first.
    await pipeline(member.content, count, createWriteStream(path, { flags: "wx", mode: 0o600 }));
  } catch (thrown) {
    const isTaken = thrown instanceof Error && "code" in thrown && thrown.code === "EEXIST";
    if (!isTaken) throw thrown;
    throw refuseArchive(member.plugin, "each member once", `the member ${member.path} twice`);
  }
}
