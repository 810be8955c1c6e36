import { type FieldRecord, type OperationSource, wick } from "@hub/connector";
import type { configFields } from "./codehost-config-fields.ts";

/** Defines an operation, with the types of its inputs and of this connector's row. */
export function defineOperation<Input extends FieldRecord>(
  source: OperationSource<typeof configFields, Input, object>,
): OperationSource<typeof configFields, Input, object> {
  return source;
}

export const repoInput = {
  owner: wick("required;desc=Account or organization that owns the repository, such as octocat"),
  repo: wick("required;desc=Name of the repository without its owner, such as hello-world"),
};

export const fullInput = {
  full: wick.bool(
    "desc=true returns the host's complete JSON, which is several times larger. Use it only if a member is missing",
  ),
};

export const pageInput = {
  per_page: wick.int("default=30;desc=Items on the page, at most 100. Larger values count as 100"),
  page: wick.int(
    "default=1;desc=Number of the page. If has_more is true, the next one is next_page",
  ),
  ...fullInput,
};

export const numberInput = {
  number: wick.int("required;desc=The number after the #, of an issue or a pull request"),
};

/** The last sentence of each list's description. */
export const pageNote =
  "Returns items, page, has_more and, if there are more items, next_page: the value of page for the next call.";
