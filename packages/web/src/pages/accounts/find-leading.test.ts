import { expect, test } from "bun:test";
import { findLeading } from "./find-leading.ts";

const rows = [{ id: "mail" }, { id: "notes" }, { id: "tracker" }];
const account = (id: string, row: string, problem: string | null = null) => ({
  id,
  row_id: row,
  problem,
});

test("The button of the row that a call led here for leads", () => {
  expect(findLeading(rows, [account("a", "mail", "its access ended")], "notes")).toBe("notes");
});

test("The first account that must be connected again leads before rows without one", () => {
  const accounts = [
    account("gone", "removed", "the row no longer uses accounts"),
    account("a", "notes", "its access ended"),
    account("b", "mail", "its access ended"),
  ];
  expect(findLeading(rows, accounts, "notes")).toBe("a");
});

test("The first row without an account leads", () => {
  expect(findLeading(rows, [account("a", "mail")], "mail")).toBe("notes");
});

test("Nothing leads if every row has an account that works", () => {
  const accounts = rows.map(({ id }) => account(`of ${id}`, id));
  expect(findLeading(rows, accounts, undefined)).toBeNull();
});
