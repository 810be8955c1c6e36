import { type FieldRecord, type OperationSource, wick } from "@hub/connector";
import type { configFields } from "./config-fields.ts";

/** Defines an operation, with the types of its inputs and of this connector's row. */
export function defineOperation<Input extends FieldRecord>(
  source: OperationSource<typeof configFields, Input, object>,
): OperationSource<typeof configFields, Input, object> {
  return source;
}

export const repoInput = {
  owner: wick(
    "required;desc=Account or organization that the repository belongs to, such as octocat",
  ),
  repo: wick("required;desc=Name of the repository alone, without its owner, such as hello-world"),
};

export const fullInput = {
  full: wick.bool(
    "desc=True for the host's JSON as it is, several times larger. Leave it out unless a member is missing",
  ),
};

export const pageInput = {
  per_page: wick.int("default=30;desc=Items on the page, 100 at most. More counts as 100"),
  page: wick.int("default=1;desc=Which page. While has_more is true, the next one is next_page"),
  ...fullInput,
};

export const numberInput = {
  number: wick.int("required;desc=The number after the #, of an issue or a pull request"),
};

/** The last sentence of each list's description. */
export const pageNote =
  "Returns items, page, has_more and, if there are more items, next_page: the value of page for the next call.";
