import { mayTest } from "../../connectors/rows/row-visibility.ts";
import { HubError } from "../../errors.ts";
import type { ListedCall } from "./call.ts";
import { type Gate, pass, refuse } from "./gate.ts";

type TestedRow = Pick<ListedCall["row"], "label" | "tags" | "tests">;

/** The row lets the caller test it. */
export const testable: Gate = (_world, { path, caller, row }) => {
  const isTest = path === "tester" || path === "widget";
  const refusal = isTest ? findTestRefusal(caller, row) : null;
  return refusal === null ? pass : refuse(refusal);
};

/** Why a caller who sees the row may not test it. */
export function findTestRefusal(caller: ListedCall["caller"], row: TestedRow): HubError | null {
  if (mayTest(caller, row)) return null;
  return new HubError(
    "forbidden",
    `Only admins may test "${row.label}". Ask an admin to test it, or to let the users test who share a tag with it.`,
  );
}
