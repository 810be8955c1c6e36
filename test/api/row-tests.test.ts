/**
 * Protects: users test a row only while it lets them and they see it; maintenance operations do not exist for them at
 * any door, and hidden rows answer as missing ones do.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { connectHttp } from "../support/connect-sdk-1.ts";
import { type ApiHub, openApiHub } from "./open-api-hub.ts";

type TestUser = Awaited<ReturnType<ApiHub["addUser"]>>;

let hub: ApiHub;
let ada: TestUser;
let bob: TestUser;
let admin: TestUser;
let row: string;
beforeAll(async () => {
  hub = await openApiHub();
  ada = await hub.addUser("ada@example.com", { tags: ["red"] });
  bob = await hub.addUser("bob@example.com", { tags: ["red"] });
  admin = await hub.addUser("root@example.com", { admin: true });
});
afterAll(() => hub[Symbol.asyncDispose]());

let rows = 0;
beforeEach(async () => {
  rows += 1;
  row = (await hub.addRow(`Row ${rows}`, ["red"])).id;
  await hub.admin.rows.set(row, { tests: "tag" });
});

const request = (method: string, path: string, body?: unknown, who = ada) =>
  hub.request(method, `/manager/api${path}`, { ...who, body });
const greet = (who = ada, of = row) =>
  request("POST", `/rows/${of}/operations/greet/test`, { params: { name: "Ada" } }, who);
const click = (body: object, who = ada, of = row) =>
  request("POST", `/rows/${of}/fields/place/widget`, body, who);
const clickInput = (body: object, { who = ada, of = row, operation = "ship" } = {}) =>
  request("POST", `/rows/${of}/operations/${operation}/inputs/place/widget`, body, who);
const doors: [string, (of?: string) => ReturnType<typeof greet>][] = [
  ["a test", (of) => greet(ada, of)],
  ["a widget of the settings", (of) => click({}, ada, of)],
  ["a widget of an input", (of) => clickInput({}, of === undefined ? {} : { of })],
];
const outcome = ({ status, body }: { status: number; body: { code?: string } }) =>
  body.code === undefined ? status : body.code;

describe.each(doors)("Through %s", (_, knock) => {
  test("A user with a tag of the row is let in only while the row says so", async () => {
    expect(outcome(await knock())).toBe(200);
    await hub.admin.rows.set(row, { tests: "admins" });
    expect(outcome(await knock())).toBe("forbidden");
  });

  test("A user whose tag was taken away gets the answer of a row that never was", async () => {
    await hub.admin.users.set(ada.user.id, { tags: ["blue"] });
    const hidden = await knock();
    const missing = await knock(crypto.randomUUID());
    await hub.admin.users.set(ada.user.id, { tags: ["red"] });
    expect(outcome(missing)).toBe("not_found");
    expect([hidden.status, hidden.body]).toEqual([missing.status, missing.body]);
  });

  test("A disabled row and a disabled connector are refused, as for clients", async () => {
    await hub.admin.rows.disable(row);
    expect(outcome(await knock())).toBe("connector_disabled");
    await hub.admin.rows.enable(row);
    await hub.admin.types.disable("fixture");
    expect(outcome(await knock())).toBe("connector_disabled");
    await hub.admin.types.enable("fixture");
  });
});

test("Who may test a row is made, shown, changed, copied and recorded", async () => {
  const added = { connector: "fixture", label: "Made", tags: ["red"], tests: "tag" };
  const made = await request("POST", "/rows", added, admin);
  expect([made.status, made.body.tests]).toEqual([201, "tag"]);
  const path = `/rows/${made.body.id}`;
  const copy = await request("POST", `${path}/duplicate`, {}, admin);
  expect(copy.body.tests).toBe("tag");
  const { version } = made.body;
  const changed = await request("PATCH", path, { version, tests: "admins" }, admin);
  expect([changed.status, changed.body.tests]).toEqual([200, "admins"]);
  expect((await request("GET", path)).body.tests).toBe("admins");
  const [newest] = await hub.admin.changes.list({ limit: 1, action: "row.update" });
  expect(newest?.detail).toEqual({ tests: { from: "tag", to: "admins" } });
  const body = { version: changed.body.version, tests: "everyone" };
  const refused = await request("PATCH", path, body, admin);
  expect(refused.status).toBe(400);
  expect(refused.body.error).toContain("tests");
  expect((await hub.addRow("Plain")).tests).toBe("admins");
});

test("A user's test is recorded as that user's, and is in the histories of the user and of the row", async () => {
  const tested = await greet();
  expect(tested.body.result.greeting).toBe("Hello Ada");
  expect(tested.body.result.token).toStartWith("hub_enc_");
  const found = { id: tested.body.run_id, source: "test", user_id: ada.user.id };
  expect((await request("GET", `/rows/${row}/runs`)).body.runs).toMatchObject([found]);
  const own = await hub.request("GET", "/profile/api/runs?limit=1", ada);
  expect(own.body.runs).toMatchObject([found]);
});

test("A test of a user names only the user's own run as the one that it retries", async () => {
  const retry = (retry_of: string) =>
    request("POST", `/rows/${row}/operations/greet/test`, { params: { name: "Ada" }, retry_of });
  const own = (await greet()).body.run_id;
  const other = (await greet(bob)).body.run_id;
  expect(outcome(await retry(own))).toBe(200);
  expect(outcome(await retry(other))).toBe("not_found");
});

test("A disabled operation cannot be tested by a user, as clients cannot call it", async () => {
  await hub.admin.operations.disable(row, "greet");
  expect(outcome(await greet())).toBe("operation_disabled");
  expect(outcome(await greet(admin))).toBe(200);
});

test("A widget runs its operations for a user, and what it would save stays with admins", async () => {
  const before = (await hub.admin.rows.show(row)).values;
  const clicked = await click({ op: "connect", arg: "7", input: { town: "Rome" } });
  expect(clicked.body.result).toBeDefined();
  expect(clicked.body.saved).toEqual([]);
  const reason = "Only admins change the settings of a row.";
  expect(clicked.body.not_saved).toContainEqual({ field: "place", reason });
  expect(outcome(await click({ op: "__select", arg: "7" }))).toBe("forbidden");
  expect((await hub.admin.rows.show(row)).values).toEqual(before);
  const ran = await clickInput({ op: "connect", arg: "7" });
  expect(ran.body.html).toContain("<p>");
  const [run] = (await request("GET", `/rows/${row}/runs?limit=1`)).body.runs;
  expect(run).toMatchObject({ operation_key: "connect", source: "test", user_id: ada.user.id });
});

describe("An operation for admins only", () => {
  const prune = { arg: 1, input_dry_run: false };
  const workflow = (operation: string) => ({
    triggers: [{ id: "start", type: "manual", entry: "step" }],
    nodes: [{ id: "step", type: "operation", tool_id: `conn:${row}/${operation}`, params: prune }],
  });

  test("It answers over the API as an operation that never was", async () => {
    const asked: [string, (key: string) => ReturnType<typeof greet>][] = [
      ["test", (key) => request("POST", `/rows/${row}/operations/${key}/test`, { params: prune })],
      ["click", (key) => click({ op: key, arg: "1" })],
      ["click in an input", (key) => clickInput({ op: key, arg: "1" })],
      ["its own widget", (operation) => clickInput({}, { operation })],
      ["form", (key) => request("GET", `/rows/${row}/operations/${key}`)],
      ["list", (key) => request("GET", `/rows/${row}/operations?key=${key}`)],
      ["search", (key) => request("GET", `/rows/${row}/operations?q=${key}`)],
    ];
    for (const [door, ask] of asked) {
      const [hidden, missing] = [await ask("prune"), await ask("absent")];
      const toText = ({ status, body }: typeof hidden) =>
        `${status} ${JSON.stringify(body)}`.replaceAll(/prune|absent/g, "KEY");
      expect([door, toText(hidden)]).toEqual([door, toText(missing)]);
    }
    const shown = [
      await request("GET", `/rows/${row}`),
      await request("GET", "/connectors/fixture"),
      await request("GET", `/rows/${row}/operations`),
    ];
    for (const { status, body } of shown) {
      expect(status).toBe(200);
      expect(JSON.stringify(body)).not.toContain("prune");
    }
    expect(
      (await hub.admin.runs.list({ row })).every(({ status }) => status === "denied"),
    ).toBeTrue();
  });

  test.each(["ada", "admin"])("It does not exist for clients of %s", async (name) => {
    await using client = await connectHttp(hub.url, (name === "ada" ? ada : admin).token);
    const get = async (key: string) => {
      const tool_id = `conn:${row}/${key}`;
      const params = { tool_id, params: prune };
      const answers = [
        await client.call("hub_get", { tool_id }),
        await client.call("hub_execute", params),
      ];
      return JSON.stringify(answers.map(({ value }) => value)).replaceAll(/prune|absent/g, "KEY");
    };
    expect(await get("prune")).toBe(await get("absent"));
    for (const listed of [
      await client.call("hub_list"),
      await client.call("hub_search", { query: "prune" }),
    ]) {
      expect(JSON.stringify(listed.value.tools)).not.toContain("/prune");
    }
  });

  test("A workflow cannot call it, not even that of an admin", async () => {
    for (const who of [ada, admin]) {
      const validate = async (key: string) => {
        const { body } = await request("POST", "/workflows/validate", { body: workflow(key) }, who);
        return JSON.stringify(body).replaceAll(/prune|absent/g, "KEY");
      };
      expect(await validate("prune")).toContain("KEY");
      expect(await validate("prune")).toBe(await validate("absent"));
    }
  });

  test("An admin runs it as a test", async () => {
    const path = `/rows/${row}/operations/prune/test`;
    expect(outcome(await request("POST", path, { params: prune }, admin))).toBe(200);
  });
});

describe("A look-up", () => {
  const lookUp = (source: string, who: TestUser) =>
    request("GET", `/rows/${row}/lookup?source=${source}`, undefined, who);

  test("An unknown source is refused with those that the caller can use", async () => {
    const forAdmin = await lookUp("membres", admin);
    expect([forAdmin.status, forAdmin.body.code]).toEqual([422, "invalid_params"]);
    expect(forAdmin.body.error).toContain("source is not known. Use people, members");
    const forUser = await lookUp("membres", ada);
    expect(forUser.body.error).toContain("source is not known. Use members");
    expect(forUser.body.error).not.toContain("people");
  });
});
