import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import type { Fault } from "./find-faults.ts";
import type { Result } from "./report.ts";

/** What was found out before, so that a run that was stopped goes on where it was. */
export type ResultsFile = {
  /** Undefined for a fault that was not tried at this commit. Null for one that the type checker finds. */
  find(fault: Fault): Result | null | undefined;
  add(fault: Fault, result: Result | null): void;
};

const lineSchema = z.object({
  commit: z.string(),
  file: z.string(),
  line: z.int(),
  kind: z.string(),
  start: z.int(),
  after: z.string(),
  state: z.enum(["detected", "undetected", "not type safe"]),
  detected_by: z.string().nullable(),
});

type Line = z.infer<typeof lineSchema>;

/** Each line is one fault as JSON. `path` null keeps nothing. */
export function openResults(path: string | null, commit: string): ResultsFile {
  const known = new Map<string, Line>();
  const toKey = (fault: Pick<Fault, "file" | "kind" | "start" | "after">) =>
    JSON.stringify([fault.file, fault.kind, fault.start, fault.after]);
  const lines = path === null || !existsSync(path) ? [] : readFileSync(path, "utf8").split("\n");
  for (const text of lines.filter((line) => line !== "")) {
    const line = lineSchema.parse(JSON.parse(text));
    if (line.commit === commit) known.set(toKey(line), line);
  }
  return {
    find(fault) {
      const line = known.get(toKey(fault));
      if (line === undefined) return undefined;
      return line.state === "not type safe" ? null : { fault, detectedBy: line.detected_by };
    },
    add(fault, result) {
      if (path === null) return;
      const { file, line, kind, start, after } = fault;
      const detectedBy = result?.detectedBy ?? null;
      const ended = detectedBy === null ? "undetected" : "detected";
      const state = result === null ? "not type safe" : ended;
      const entry = { commit, file, line, kind, start, after, state, detected_by: detectedBy };
      appendFileSync(path, `${JSON.stringify(entry)}\n`);
    },
  };
}
