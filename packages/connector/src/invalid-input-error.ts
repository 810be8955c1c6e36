import { describeIssues } from "./fields/describe-issues.ts";
import type { Issue } from "./fields/field-spec.ts";

/**
 * The caller must change an input. The call fails with code `invalid_params` and these `issues`, as
 * if the type check had found them. A path is the input's name in requests (`per_page` for
 * `PerPage`), or empty for all inputs together. The message completes a sentence that starts with
 * the path and says what to write.
 *
 * @example
 * throw new InvalidInputError("start", "must be before end");
 * throw new InvalidInputError([{ path: "rows[2].name", message: "is a duplicate" }]);
 */
export class InvalidInputError extends Error {
  override readonly name = "InvalidInputError";
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]);
  constructor(path: string, message: string);
  constructor(found: readonly Issue[] | string, message = "is not accepted") {
    const given = typeof found === "string" ? [{ path: found, message }] : found;
    // In plain JavaScript, they may have any type. They are reported anyway.
    const issues = given.map((issue) => ({
      path: String(issue.path),
      message: String(issue.message),
    }));
    super(describeIssues(issues));
    this.issues = issues;
  }
}
