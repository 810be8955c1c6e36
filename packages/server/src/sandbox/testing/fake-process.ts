import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SelfCommand } from "../../lib/process/self-command.ts";
import { toPrefix } from "../code-frames.ts";

/** A frame as a process sends it. `claimed` is the length of the body that its prefix says. */
export function toFrame(header: string | object, body = "", claimed = body.length): Uint8Array {
  const text = Buffer.from(typeof header === "string" ? header : JSON.stringify(header));
  return Buffer.concat([toPrefix(text, claimed), text, Buffer.from(body)]);
}

export const readyFrame = toFrame({ kind: "ready", isLimited: true });

/**
 * The command of a shell that sends `first`, and `then` (bytes, or a shell command) after it got the first byte of a
 * job. It has files in `folder`.
 */
export async function writeFakeProcess(
  folder: string,
  first: Uint8Array,
  then: Uint8Array | string,
): Promise<SelfCommand> {
  const name = crypto.randomUUID();
  const paths = [join(folder, `${name}-1`), join(folder, `${name}-2`)] as const;
  await writeFile(paths[0], first);
  if (typeof then !== "string") await writeFile(paths[1], then);
  const answer = typeof then === "string" ? then : `/bin/cat ${paths[1]}`;
  const script = `/bin/cat ${paths[0]}; /usr/bin/head -c 1 >/dev/null; ${answer}; exec /bin/sleep 60`;
  return { command: "/bin/sh", args: ["-c", script], env: {} };
}
