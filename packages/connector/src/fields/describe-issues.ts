import type { Issue } from "./field-spec.ts";

/** More sentences would hide the first ones. */
const describedMax = 20;
/** A path has the names that the caller wrote, of any length. */
const pathCharsMax = 200;

/** One sentence for each of the first 20 issues: `owner is required. limit must be at least 1.` */
export function describeIssues(issues: readonly Issue[]): string {
  const sentences = issues.slice(0, describedMax).map(describeIssue);
  const rest = issues.length - sentences.length;
  if (rest > 0) sentences.push(`${rest} more ${rest === 1 ? "fault is" : "faults are"} not named.`);
  return sentences.join(" ");
}

/** The path, or its beginning if it is longer than 200 characters. */
export function cutIssuePath(path: string): string {
  return path.length <= pathCharsMax ? path : `${path.slice(0, pathCharsMax).toWellFormed()}…`;
}

function describeIssue({ path, message }: Issue): string {
  const sentence = /[.?!]$/.test(message) ? message : `${message}.`;
  if (path === "") return sentence;
  const name = cutIssuePath(path);
  // A validator's message is a complete sentence.
  return /^[A-Z]/.test(message) ? `${name}: ${sentence}` : `${name} ${sentence}`;
}
