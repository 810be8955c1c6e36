import type { Row } from "@hub/contract/row.ts";
import { choice } from "../declare/parameters.ts";

/** `--tests`, of commands that write a row. */
export const testsOption = choice(
  "<who>",
  "who may test the row and use its widgets: admins, or also users who share a tag with it",
  ["admins", "tag"] satisfies Row["tests"][],
);
