import { afterAll, beforeAll, expect, test } from "bun:test";
import { openTestServices } from "@hub/server/services/testing/open-test-services.ts";
import { insertRow } from "@hub/server/store/rows/rows-table.ts";
import { newRow } from "@hub/server/store/test-data.ts";
import { createLookups, type Lookups } from "./look-up-names.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
let lookups: Lookups;
beforeAll(async () => {
  hub = await openTestServices();
  lookups = createLookups(hub.deps.store);
});
afterAll(() => hub.close());

const addRow = (label: string) => hub.admin.rows.add({ connector: "tracker", label });

test("A row is found by id, by prefix of its id, and by its exact label", async () => {
  const { id } = await addRow("By name");
  for (const typed of [id, ` ${id.toUpperCase()}`, id.slice(0, 6), "By name"]) {
    expect(await lookups.findRowId(typed)).toBe(id);
  }
  await expect(lookups.findRowId("by nme")).rejects.toThrow(
    'There is no row "by nme". Did you mean "By name"?',
  );
});

test("A label of several rows is an error that lists two ids", async () => {
  const first = await addRow("Twin");
  const second = await addRow("Twin");
  await addRow("Twin");
  await expect(lookups.findRowId("Twin")).rejects.toMatchObject({
    code: "conflict",
    message: `Several rows have the label "Twin": ${first.id}, ${second.id}. Give an id.`,
  });
});

test("A label takes precedence over a prefix of an id", async () => {
  const { id } = await addRow("First");
  const { id: labelled } = await addRow(id.slice(0, 8));
  expect(await lookups.findRowId(id.slice(0, 8))).toBe(labelled);
});

test("A prefix of an id has at least six characters and must match one row", async () => {
  const { id } = await addRow("Short");
  await expect(lookups.findRowId(id.slice(0, 5))).rejects.toMatchObject({ code: "not_found" });
  const { db } = hub.deps.store;
  for (const last of ["1", "2"]) {
    const id = `abcdef0${last}-0000-4000-8000-000000000000`;
    await insertRow(db, newRow({ id, connectorKey: "tracker", label: last }));
  }
  await expect(lookups.findRowId("abcdef")).rejects.toThrow("Give more of the id");
  expect(await lookups.findRowId("ABCDEF01")).toBe("abcdef01-0000-4000-8000-000000000000");
});

test("Runs of a deleted row are found by the row's full id", async () => {
  const id = crypto.randomUUID();
  expect(await lookups.findRecordedRowId(id.toUpperCase())).toBe(id);
  await expect(lookups.findRecordedRowId("Gone")).rejects.toThrow('There is no row "Gone"');
});

test("A user is found by e-mail, ignoring case and surrounding blanks", async () => {
  const { id } = await hub.admin.users.add({ email: "linus@example.com" });
  expect(await lookups.findUser("  LINUS@example.com\t")).toEqual({
    id,
    email: "linus@example.com",
  });
  await expect(lookups.findUser("linsu@example.com")).rejects.toThrow(
    'There is no user "linsu@example.com". Did you mean "linus@example.com"?',
  );
});

test("The default caller is the local admin", async () => {
  const localAdmin = await lookups.findCaller(undefined);
  expect(localAdmin.email).toBe("local-admin");
  expect(await lookups.findCaller("local-admin")).toEqual(localAdmin);
});

test("A token is found by prefix of its id", async () => {
  const { id: userId } = await hub.admin.users.add({ email: "ada@example.com" });
  const { id } = await hub.admin.tokens.create({ user: userId, name: "laptop" });
  expect(await lookups.findTokenId(id.slice(0, 8))).toBe(id);
  await expect(lookups.findTokenId(id.slice(0, 5))).rejects.toThrow(
    `There is no token "${id.slice(0, 5)}"`,
  );
});
