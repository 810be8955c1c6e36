import type { Row } from "@hub/contract/row.ts";
import { choice } from "../declare/parameters.ts";

/** `--tests`, of commands that write a row. */
export const testsOption = choice(
  "<who>",
  "who may test the row and use its widgets: admins, or also users who share a tag with it",
  ["admins", "tag"] satisfies Row["tests"][],
);

/** `--access`, of commands that write a row. */
export const accessOption = choice(
  "<whose>",
  "whose accounts its calls use: the row's (shared), the caller's (own), or the row's for users who never connected one",
  ["shared", "own", "own_else_shared"] satisfies Row["access"][],
);
