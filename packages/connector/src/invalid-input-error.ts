import { describeIssues } from "./fields/describe-issues.ts";
import type { Issue } from "./fields/field-spec.ts";

/**
 * The caller has to write an input in another way. The call ends with code `invalid_params` and these
 * `issues`, as if the check of the input's type had found them. A path is the input's name as callers
 * write it (`per_page` for `PerPage`), or empty for the inputs as a whole; its message goes on from
 * there and says what to write.
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
    // In plain JavaScript they may have any type, and are reported all the same.
    const issues = given.map((issue) => ({
      path: String(issue.path),
      message: String(issue.message),
    }));
    super(describeIssues(issues));
    this.issues = issues;
  }
}
