import type { Row } from "@hub/contract/row.ts";
import { Option } from "commander";

export type RowTests = Row["tests"];

/** `--tests`, of commands that write a row. */
export function testsOption(): Option {
  return new Option(
    "--tests <who>",
    "who may test the row and use its widgets: admins, or also users who share a tag with it",
  ).choices(["admins", "tag"] satisfies RowTests[]);
}
