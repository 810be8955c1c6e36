import type { Issue } from "./field-spec.ts";

/** One sentence for each issue: `owner is required. limit must be at least 1.` */
export function describeIssues(issues: readonly Issue[]): string {
  return issues.map(describeIssue).join(" ");
}

function describeIssue({ path, message }: Issue): string {
  const sentence = /[.?!]$/.test(message) ? message : `${message}.`;
  if (path === "") return sentence;
  // A validator's message is a complete sentence.
  return /^[A-Z]/.test(message) ? `${path}: ${sentence}` : `${path} ${sentence}`;
}
