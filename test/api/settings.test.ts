/** Settings over the API: they are stored at run time, apply to the next call, and are recorded. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { doctorReportSchema } from "@hub/contract/doctor.ts";
import { runCommand } from "../support/command-process.ts";
import { connectHttp } from "../support/connect-sdk-1.ts";
import { type ApiHub, openApiHub } from "./open-api-hub.ts";

type TestUser = Awaited<ReturnType<ApiHub["addUser"]>>;

const given = { HUB_ROW_CALLS_PER_MINUTE: "100" };
let hub: ApiHub;
let ada: TestUser;
let admin: TestUser;
beforeAll(async () => {
  hub = await openApiHub(given);
  ada = await hub.addUser("ada@example.com", { tags: ["red"] });
  admin = await hub.addUser("root@example.com", { admin: true });
});
afterAll(() => hub[Symbol.asyncDispose]());
afterEach(async () => {
  for (const name of ["HUB_USER_CALLS_PER_MINUTE", "HUB_RESULT_BYTES_MAX"]) await reset(name);
});

const put = (name: string, value: unknown) =>
  hub.request("PUT", `/admin/api/settings/${name}`, { ...admin, body: { value } });
const reset = (name: string) => hub.request("DELETE", `/admin/api/settings/${name}`, admin);

async function show(name: string) {
  const { body } = await hub.request("GET", "/admin/api/settings", admin);
  return body.settings.find((setting: { name: string }) => setting.name === name);
}

test("Storing or resetting a limit applies to the next call in every process", async () => {
  await using other = await openApiHub({ HUB_DATA_DIR: hub.dataDir });
  const { id } = await hub.addRow("Limited", ["red"]);
  const call = async (url: string) => {
    await using client = await connectHttp(url, ada.token);
    return (await client.execute(`conn:${id}/greet`, { name: "Ada" })).value.code;
  };
  expect([await call(hub.url), await call(other.url)]).toEqual([undefined, undefined]);
  const stored = await put("HUB_USER_CALLS_PER_MINUTE", 1);
  expect([stored.status, stored.body.value, stored.body.origin]).toEqual([200, "1", "stored"]);
  for (const { url } of [hub, other]) {
    // The earlier call counts towards the new limit.
    expect(await call(url)).toBe("rate_limited");
  }
  expect((await reset("HUB_USER_CALLS_PER_MINUTE")).body).toMatchObject({
    value: "600",
    origin: "default",
  });
  expect([await call(hub.url), await call(other.url)]).toEqual([undefined, undefined]);
});

test("A stored size limit truncates the next result", async () => {
  const { id } = await hub.addRow("Cut", ["red"]);
  await using client = await connectHttp(hub.url, ada.token);
  const greet = async () =>
    (await client.execute(`conn:${id}/greet`, { name: "Ada ".repeat(500) })).value;
  expect((await greet())._truncated).toBeUndefined();
  await put("HUB_RESULT_BYTES_MAX", 1024);
  expect((await greet())._truncated).toBeDefined();
});

test("A change of a setting is recorded, and `hub doctor` shows its value", async () => {
  await put("HUB_RESULT_BYTES_MAX", "2048");
  await reset("HUB_RESULT_BYTES_MAX");
  await put("HUB_RESULT_BYTES_MAX", 4096);
  const { body } = await hub.request(
    "GET",
    "/admin/api/changes?target_kind=setting&limit=3",
    admin,
  );
  const recorded = body.changes.map((change: Record<string, unknown>) => [
    change.action,
    change.actor,
    change.target,
    change.detail,
  ]);
  const by = ["root@example.com", "HUB_RESULT_BYTES_MAX"];
  expect(recorded).toEqual([
    ["setting.update", ...by, { from: "1048576", to: "4096" }],
    ["setting.reset", ...by, { from: "2048", to: "1048576" }],
    ["setting.update", ...by, { from: "1048576", to: "2048" }],
  ]);
  const { json } = await runCommand({ dataDir: hub.dataDir }, ["doctor", "--json"]);
  const { settings } = doctorReportSchema.parse(json());
  const reported = settings.find(({ name }) => name === "HUB_RESULT_BYTES_MAX");
  expect(reported).toMatchObject({ value: "4096", origin: "stored", changeable: true });
});

test("A change that was made from an older value is refused with what changed, and changes nothing", async () => {
  const name = "HUB_RESULT_BYTES_MAX";
  const path = `/admin/api/settings/${name}`;
  const second = await hub.addUser("second@example.com", { admin: true });
  const { value } = await show(name);
  const first = await hub.request("PUT", path, { ...admin, body: { value: 2048, from: value } });
  expect([first.status, first.body.value]).toEqual([200, "2048"]);
  const late = await hub.request("PUT", path, { ...second, body: { value: 4096, from: value } });
  expect([late.status, late.body]).toEqual([
    409,
    {
      code: "conflict",
      error: expect.stringContaining(`${name} was changed to 2048 by root@example.com`),
      value: "2048",
      changed_by: "root@example.com",
      changed_at: expect.stringMatching(/^\d{4}-/),
    },
  ]);
  const reset = await hub.request("DELETE", `${path}?from=${value}`, second);
  expect(reset.status).toBe(409);
  expect((await show(name)).value).toBe("2048");
  expect((await hub.request("DELETE", `${path}?from=2048`, second)).status).toBe(200);
  // Without it, the last change wins.
  expect((await put(name, 4096)).status).toBe(200);
});

test("The record of changes can be limited to a span of time", async () => {
  const before = new Date().toISOString();
  await put("HUB_RESULT_BYTES_MAX", "2048");
  const list = (query: string) => hub.request("GET", `/admin/api/changes?${query}`, admin);
  const actions = async (query: string) =>
    (await list(query)).body.changes.map(({ action }: { action: string }) => action);
  expect(await actions(`from=${before}`)).toEqual(["setting.update"]);
  expect(await actions(`from=${before}&to=${before}`)).toEqual([]);
  expect(await actions(`to=${before}&limit=1`)).toHaveLength(1);
  const refused = await list("from=yesterday");
  expect([refused.status, refused.body.issues[0].path]).toEqual([400, "from"]);
});

describe("A refused value", () => {
  test.each([
    ["HUB_RESULT_BYTES_MAX", "lots", 400, "HUB_RESULT_BYTES_MAX must be a whole number"],
    ["HUB_RESULT_BYTES_MAX", 10, 400, "HUB_RESULT_BYTES_MAX must be a whole number"],
    ["HUB_RESULT_BYTES_MAX", true, 400, "value"],
    ["HUB_PORT", 1, 400, "HUB_PORT is read when the hub starts"],
    ["HUB_ENC_KEY", "00", 400, "HUB_ENC_KEY is read when the hub starts"],
    ["HUB_ROW_CALLS_PER_MINUTE", 5, 409, "HUB_ROW_CALLS_PER_MINUTE is set in the environment"],
    ["HUB_ABSENT", 1, 404, "There is no setting"],
    ["first-start", 1, 404, "There is no setting"],
  ])("%s = %p is refused with a reason, and nothing changes", async (name, value, status, sentence) => {
    const before = await show(name);
    const answer = await put(name, value);
    expect([answer.status, answer.body.error]).toEqual([status, expect.stringContaining(sentence)]);
    expect(await show(name)).toEqual(before);
  });

  test.each([
    ["HUB_PORT", 400],
    ["first-start", 404],
  ])("Resetting %s is refused", async (name, status) => {
    expect((await reset(name)).status).toBe(status);
  });
});
