/** The search of the whole hub: what it finds, for whom, and how much. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ApiHub, openApiHub } from "./open-api-hub.ts";

type TestUser = Awaited<ReturnType<ApiHub["addUser"]>>;

let hub: ApiHub;
let ada: TestUser;
let admin: TestUser;
let [red, blue] = ["", ""];
beforeAll(async () => {
  hub = await openApiHub();
  ada = await hub.addUser("ada@example.com", { tags: ["red"] });
  admin = await hub.addUser("root@example.com", { admin: true });
  red = (await hub.addRow("Harbour red", ["red"])).id;
  blue = (await hub.addRow("Harbour blue", ["blue"])).id;
});
afterAll(() => hub[Symbol.asyncDispose]());

const search = async (who: TestUser, q: string) =>
  (await hub.request("GET", `/manager/api/search?q=${encodeURIComponent(q)}`, who)).body;

const looks = { connector_name: "Fixture", logo: null };

test("An admin finds connectors, rows, operations, users and tags by parts of their names", async () => {
  const { rows } = await search(admin, "HARB our");
  expect(rows).toEqual([
    { id: blue, label: "Harbour blue", connector: "fixture", ...looks, state: "unused" },
    { id: red, label: "Harbour red", connector: "fixture", ...looks, state: "unused" },
  ]);
  expect((await search(admin, "fixture red")).rows).toHaveLength(1);
  expect((await search(admin, "ADA@")).users).toMatchObject([{ email: "ada@example.com" }]);
  expect((await search(admin, "blu")).tags).toEqual([{ name: "blue" }]);
  expect((await search(admin, "fixt")).connectors).toMatchObject([{ key: "fixture" }]);
  const { operations } = await search(admin, "greet harbour red");
  expect(operations).toMatchObject([
    { row: red, label: "Harbour red", connector: "fixture", key: "greet" },
  ]);
});

test("A user finds what they see, and neither users nor tags", async () => {
  expect((await search(ada, "harbour")).rows).toEqual([
    { id: red, label: "Harbour red", connector: "fixture", ...looks, state: "unused" },
  ]);
  const { operations, users, tags } = await search(ada, "greet");
  expect(operations.map(({ row }: { row: string }) => row)).toEqual([red]);
  expect([users, tags]).toEqual([[], []]);
  expect(JSON.stringify(await search(ada, "root@example.com"))).not.toContain("root@");
  expect((await search(ada, "http")).connectors).toEqual([]);
});

test("A search finds at most eight of each kind, and is not recorded as a run", async () => {
  for (let at = 0; at < 10; at += 1) await hub.addRow(`Dock ${at}`, ["dock"]);
  const { rows, operations } = await search(admin, "dock");
  expect([rows.length, operations.length]).toEqual([8, 8]);
  expect(await hub.admin.runs.list({})).toEqual([]);
});

test.each(["", " ", "x".repeat(101)])("The query %p is refused", async (q) => {
  const { status, body } = await hub.request("GET", `/manager/api/search?q=${q}`, admin);
  expect([status, body.issues[0].path]).toEqual([400, "q"]);
});
