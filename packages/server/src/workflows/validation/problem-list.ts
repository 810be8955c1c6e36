import type { WorkflowProblem } from "@hub/contract/workflow-problem.ts";

/** The parts of a JSON pointer, such as `["nodes", 3, "url"]`. */
export type Path = readonly (string | number)[];

/** What to do about a problem. A function is called only for a problem that is listed. */
export type Hint = string | (() => string);

/** A list that keeps the first problems of a body, so that a hostile one cannot fill the memory. */
export type ProblemList = {
  error(path: Path, message: string, hint: Hint): void;
  warn(path: Path, message: string, hint: Hint): void;
  /** Counts errors that are not described. */
  omit(count: number): void;
  /** The errors, and then the warnings, in the order in which they were found. */
  list(): WorkflowProblem[];
};

/** More errors, and more warnings, are counted and not listed. */
export const problemsMax = 200;

export function createProblemList(): ProblemList {
  const found: Record<"error" | "warning", WorkflowProblem[]> = { error: [], warning: [] };
  const counts = { error: 0, warning: 0 };
  const add = (severity: "error" | "warning", path: Path, message: string, hint: Hint) => {
    counts[severity] += 1;
    if (counts[severity] > problemsMax) return;
    const text = typeof hint === "string" ? hint : hint();
    found[severity].push({ path: toPointer(path), severity, message, hint: text });
  };
  const listOf = (severity: "error" | "warning") => {
    const omitted = counts[severity] - found[severity].length;
    if (omitted === 0) return found[severity];
    const message = `There are ${omitted} more problems of this kind.`;
    return [...found[severity], { path: "", severity, message, hint: "Solve the others first." }];
  };
  return {
    error: (path, message, hint) => add("error", path, message, hint),
    warn: (path, message, hint) => add("warning", path, message, hint),
    omit: (count) => {
      counts.error += count;
    },
    list: () => [...listOf("error"), ...listOf("warning")],
  };
}

/** The same list, for problems of what does not run: errors are warnings in it. */
export function toWarnings(problems: ProblemList): ProblemList {
  return { ...problems, error: problems.warn };
}

/** A JSON pointer (RFC 6901). */
export function toPointer(path: Path): string {
  return path.map((part) => `/${String(part).replace(/~/g, "~0").replace(/\//g, "~1")}`).join("");
}

/** A text of the body in a message: cut, and on one line. */
export function quote(text: string): string {
  const line = text.replace(/\p{Cc}/gu, " ");
  return line.length <= 80 ? `"${line}"` : `"${line.slice(0, 79)}…"`;
}
