/** Connectors and rows over the API: shapes of the contract, settings, widgets, enabling and disabling. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectHttp } from "../support/connect-sdk-1.ts";
import { type ApiHub, openApiHub } from "./open-api-hub.ts";

type TestUser = Awaited<ReturnType<ApiHub["addUser"]>>;
type Setting = { key: string; value: string | null; is_set: boolean };

let hub: ApiHub;
let ada: TestUser;
let admin: TestUser;
beforeAll(async () => {
  hub = await openApiHub();
  ada = await hub.addUser("ada@example.com", { tags: ["red"] });
  admin = await hub.addUser("root@example.com", { admin: true });
});
afterAll(() => hub[Symbol.asyncDispose]());

const request = (method: string, path: string, body?: unknown, who = admin) =>
  hub.request(method, `/manager/api${path}`, { ...who, body });

async function readSettings(row: string): Promise<Record<string, Setting>> {
  const { body } = await request("GET", `/rows/${row}/settings`);
  const fields: Setting[] = body.groups.flatMap((group: { fields: Setting[] }) => group.fields);
  return Object.fromEntries(fields.map((field) => [field.key, field]));
}

test("Every route that saves base_url refuses a password or a query in it, and names the field to use", async () => {
  const values = { base_url: "https://api.example.com" };
  const added = await request("POST", "/rows", { connector: "http", label: "Api", values });
  const { id, version } = added.body;
  const row = `/rows/${id}`;
  const refused: [string, string][] = [
    ["https://ada:pw-5678@api.example.com", "username (with auth_mode=basic)"],
    ["https://api.example.com?key=pw-5678", "query_value (with auth_mode=query)"],
  ];
  for (const [base_url, advice] of refused) {
    for (const { status, body } of [
      await request("POST", "/rows", { connector: "http", label: "Bad", values: { base_url } }),
      await request("PATCH", row, { values: { base_url }, version }),
      await request("PUT", `${row}/fields/base_url`, { value: base_url, version }),
    ]) {
      expect([status, body.code]).toEqual([400, "bad_request"]);
      expect(body.error).toContain(advice);
      expect(body.error).not.toContain("5678");
    }
  }
});

describe("Shapes of the contract", () => {
  test("type-disable and type-enable return only the flag, and apply to the next call", async () => {
    const { id } = await hub.addRow("Switched", ["red"]);
    await using client = await connectHttp(hub.url, ada.token);
    const listed = async () => {
      const { value } = await client.call("hub_list");
      return value.tools.some((tool: { tool_id: string }) => tool.tool_id === `conn:${id}/greet`);
    };
    const call = async () => (await client.execute(`conn:${id}/greet`, { name: "Ada" })).value.code;

    const disabled = await request("POST", "/connectors/fixture/type-disable");
    expect([disabled.status, disabled.body]).toEqual([200, { disabled_type: true }]);
    expect([await listed(), await call()]).toEqual([false, "connector_disabled"]);
    expect((await request("GET", `/rows/${id}`)).body.disabled_type).toBeTrue();

    const enabled = await request("POST", "/connectors/fixture/type-enable");
    expect([enabled.status, enabled.body]).toEqual([200, { disabled_type: false }]);
    expect([await listed(), await call()]).toEqual([true, undefined]);
  });

  test("A connector counts the operations that the caller may know of", async () => {
    await hub.addRow("Counted", ["red"]);
    for (const who of [admin, ada]) {
      const shown = (await request("GET", "/connectors/fixture", undefined, who)).body;
      const listed = (await request("GET", "/connectors", undefined, who)).body.connectors;
      const { operation_count } = listed.find(({ key }: { key: string }) => key === "fixture");
      expect([operation_count, shown.operation_count]).toEqual(
        Array(2).fill(shown.operations.length),
      );
      const hasTestOnly = shown.operations.some((one: { test_only: boolean }) => one.test_only);
      expect(hasTestOnly).toBe(who === admin);
    }
  });

  test("Disabling a row or its operation does not affect other rows", async () => {
    const [one, other] = [await hub.addRow("One", ["red"]), await hub.addRow("Other", ["red"])];
    await using client = await connectHttp(hub.url, ada.token);
    const call = async (id: string) =>
      (await client.execute(`conn:${id}/greet`, { name: "Ada" })).value.code;
    expect((await request("POST", `/rows/${one.id}/disable`)).body.disabled).toBeTrue();
    expect([await call(one.id), await call(other.id)]).toEqual(["connector_disabled", undefined]);
    await request("POST", `/rows/${one.id}/operations/greet/disable`);
    expect((await request("POST", `/rows/${one.id}/enable`)).body.disabled).toBeFalse();
    expect(await call(one.id)).toBe("operation_disabled");
    expect((await request("POST", `/rows/${one.id}/operations/greet/enable`)).body).toEqual({
      row_id: one.id,
      operation: "greet",
      enabled: true,
    });
    expect(await call(one.id)).toBeUndefined();
  });
});

describe("The settings of a row", () => {
  test("Settings are saved field by field; a secret can be set, kept and cleared, but is never returned", async () => {
    const made = await request("POST", "/rows", { connector: "fixture", label: "Set" });
    const { id, version, missing } = made.body;
    expect([made.status, missing]).toEqual([201, ["token"]]);

    const saved = await request("PUT", `/rows/${id}/fields/token`, {
      value: "first-secret",
      version,
    });
    expect(saved.body.missing).toEqual([]);
    const changed = await request("PATCH", `/rows/${id}`, {
      version: saved.body.version,
      label: "Set again",
      values: { mode: "signed" },
    });
    // A required field that has become visible is missing.
    expect(changed.body).toMatchObject({ label: "Set again", missing: ["signing_key"] });
    const kept = await readSettings(id);
    expect(kept.token).toMatchObject({ value: null, is_set: true });
    expect(kept.mode).toMatchObject({ value: "signed", is_set: true });

    const cleared = await request("PUT", `/rows/${id}/fields/token`, {
      value: "",
      version: changed.body.version,
    });
    expect(cleared.body.missing.toSorted()).toEqual(["signing_key", "token"]);
    const answers = JSON.stringify([
      made,
      saved,
      changed,
      kept,
      cleared,
      await request("GET", `/rows/${id}`),
    ]);
    expect(answers).not.toContain("first-secret");
  });

  test("The second of two concurrent changes is refused, and the first is kept", async () => {
    const { id, version } = await hub.addRow("Contested");
    const first = await request("PATCH", `/rows/${id}`, { version, label: "First" });
    expect(first.status).toBe(200);
    for (const late of [
      request("PATCH", `/rows/${id}`, { version, label: "Second" }),
      request("PUT", `/rows/${id}/fields/mode`, { version, value: "signed" }),
      request("POST", `/rows/${id}/fields/signing_key/generate`, { version }),
    ]) {
      const { status, body } = await late;
      expect([status, body.code, body.version]).toEqual([409, "conflict", first.body.version]);
    }
    expect((await request("GET", `/rows/${id}`)).body.label).toBe("First");
  });

  test("Invalid settings are refused with their fields named, and nothing is saved", async () => {
    const { id, version } = await hub.addRow("Refused");
    const { status, body } = await request("PATCH", `/rows/${id}`, {
      version,
      values: { mode: "loud", nonsense: 1 },
    });
    expect([status, body.code]).toEqual([400, "bad_request"]);
    expect(body.issues.map((issue: { path: string }) => issue.path)).toEqual(["mode", "nonsense"]);
    expect((await request("GET", `/rows/${id}`)).body.version).toBe(version);
    const misspelt = await request("PATCH", `/rows/${id}`, { version, lable: "x" });
    expect([misspelt.status, misspelt.body.code]).toEqual([400, "bad_request"]);
  });

  test("A field with a generator gets a new value; a field without one is refused", async () => {
    const { id, version } = await hub.addRow("Generated");
    const made = await request("POST", `/rows/${id}/fields/signing_key/generate`, { version });
    expect(made.status).toBe(200);
    expect(JSON.stringify(made.body)).not.toContain("fresh-signing-key");
    const refused = await request("POST", `/rows/${id}/fields/token/generate`, {
      version: made.body.version,
    });
    expect([refused.status, refused.body.code]).toEqual([400, "bad_request"]);
  });

  test("A copy of a row has its settings without secrets, and is disabled", async () => {
    const { id } = await hub.addRow("Original", ["red"]);
    await request("POST", `/rows/${id}/operations/wait/disable`);
    const copy = await request("POST", `/rows/${id}/duplicate`, {});
    expect([copy.status, copy.body.label, copy.body.disabled]).toEqual([
      201,
      "Original (copy)",
      true,
    ]);
    const tested = await request("POST", `/rows/${copy.body.id}/operations/greet/test`, {
      params: { name: "Ada" },
    });
    expect(tested.body).toMatchObject({ code: "needs_setup", missing: ["token"] });
    const wait = copy.body.operations.find((one: { key: string }) => one.key === "wait");
    expect(wait.enabled).toBeFalse();
  });
});

describe("An html widget among the inputs of an operation", () => {
  const use = (row: string, body: unknown, path = "ship/inputs/place") =>
    request("POST", `/rows/${row}/operations/${path}/widget`, body);

  test("Its operation renders it as a test, with the value that the form has", async () => {
    const { id } = await hub.addRow("Shipping");
    const { body } = await use(id, { value: "7" });
    expect(body.html).toBe(`<p>${JSON.stringify({ params: { Browser: "7" }, input: {} })}</p>`);
    const [run] = await hub.admin.runs.list({ row: id });
    expect(run).toMatchObject({ operation_key: "connect", source: "test" });
  });

  test("A click runs its operation with its argument and named elements, and saves nothing", async () => {
    const { id } = await hub.addRow("Clicking");
    const { body } = await use(id, { op: "connect", arg: "9", input: { town: "Graz" } });
    expect(body).toEqual({
      html: `<p>${JSON.stringify({ params: { Browser: "9" }, input: { town: "Graz" } })}</p>`,
      result: { fields: { place: "Graz", mode: "signed" } },
      run_id: expect.any(String),
    });
    expect((await readSettings(id)).place?.value).toBeNull();
    const pruned = await use(id, { op: "prune", arg: "7", input: { dry_run: "on" } });
    expect(pruned.body).toMatchObject({
      html: expect.stringContaining("<p>"),
      result: { pruned: 7, dry: true },
    });
  });

  test("A choice belongs to the form, so __select is refused and runs nothing", async () => {
    const { id } = await hub.addRow("Choosing");
    const { status, body } = await use(id, { op: "__select", arg: "7" });
    expect([status, body.code]).toEqual([400, "bad_request"]);
    expect(await hub.admin.runs.list({ row: id })).toEqual([]);
  });

  test("An unknown operation, and an input without a widget, get 404", async () => {
    const { id } = await hub.addRow("Unknown");
    for (const path of ["ship/inputs/absent", "greet/inputs/name", "absent/inputs/place"]) {
      expect((await use(id, {}, path)).status).toBe(404);
    }
    expect((await use(id, { op: "absent" })).status).toBe(404);
  });

  test("Only admins can use it, even on a visible row", async () => {
    const { id } = await hub.addRow("Red form", ["red"]);
    const path = `/rows/${id}/operations/ship/inputs/place/widget`;
    expect((await request("POST", path, {}, ada)).status).toBe(403);
    expect(await hub.admin.runs.list({ row: id })).toEqual([]);
  });
});

describe("An html widget", () => {
  const click = (row: string, body: unknown) =>
    request("POST", `/rows/${row}/fields/place/widget`, body);

  test("A widget stores the selected value and shows it", async () => {
    const { id } = await hub.addRow("Widget");
    expect((await click(id, {})).body).toEqual({
      html: expect.stringContaining('data-op="__select" data-arg="7"'),
    });
    const selected = await click(id, { op: "__select", arg: "7" });
    expect(selected.body.html).toStartWith("<p>7</p>");
    expect((await readSettings(id)).place?.value).toBe("7");
  });

  test("A click runs an operation with its argument and named elements; a checkbox that was sent is true", async () => {
    const { id } = await hub.addRow("Clicked");
    await click(id, { op: "prune", arg: "7", input: { dry_run: "on" } });
    await click(id, { op: "prune", arg: "8", input: {} });
    const runs = await hub.admin.runs.list({ row: id, operation: "prune" });
    const requests = await Promise.all(
      runs.map(async (run) => (await hub.admin.runs.show(run.id)).request),
    );
    expect(requests).toEqual([
      { arg: "8", input_dry_run: false },
      { arg: "7", input_dry_run: true },
    ]);
    expect(runs.map(({ source }) => source)).toEqual(["test", "test"]);
  });

  test("A click returns the operation's result and the new widget", async () => {
    const { id } = await hub.addRow("Told");
    const { body } = await click(id, { op: "prune", arg: "7", input: {} });
    expect(body).toEqual({
      html: expect.stringContaining("data-op"),
      result: { pruned: 7, dry: false },
      run_id: expect.any(String),
      saved: [],
      not_saved: [],
    });
  });

  test("Elements that no input declares reach the operation, but their values are not recorded", async () => {
    const { id } = await hub.addRow("Undeclared");
    const input = { town: "Graz", days: "3", sure: "on" };
    const { body } = await click(id, { op: "connect", arg: "9", input });
    expect(body.html).toBe(
      `<p>${JSON.stringify({ params: { Browser: "9", Days: 3 }, input })}</p>`,
    );
    const run = await hub.admin.runs.show(body.run_id);
    expect(run.request).toEqual({
      browser: "9",
      days: "3",
      _omitted: "Values of the widget's elements were not stored: town, sure.",
    });
  });

  test("The fields that a click returns are all validated and saved, or none of them", async () => {
    const { id } = await hub.addRow("Filled");
    const { body } = await click(id, { op: "connect", input: { town: "Graz" } });
    expect(body).toMatchObject({ saved: ["place", "mode"], not_saved: [] });
    expect((await readSettings(id)).place?.value).toBe("Graz");
    const failed = await click(id, { op: "connect", input: { town: "Linz", mode: "x" } });
    expect(failed.status).toBe(400);
    expect(failed.body.error).toStartWith(
      'The operation "connect" ran, but none of its fields was',
    );
    expect((await readSettings(id)).place?.value).toBe("Graz");
  });

  test("An answer that is too large to read saves nothing, and the error says so", async () => {
    const { id } = await hub.addRow("Large");
    const { status, body } = await click(id, {
      op: "connect",
      input: { town: "x", chars: "300000" },
    });
    expect([status, body.error]).toEqual([502, expect.stringContaining("nothing was saved")]);
    expect((await readSettings(id)).place?.value).toBeNull();
  });

  test("A click on an outdated version of a row is refused, and runs nothing", async () => {
    const { id } = await hub.addRow("Moved");
    const { body: settings } = await request("GET", `/rows/${id}/settings`);
    await hub.admin.rows.set(id, { label: "Moved on" });
    const { version } = settings;
    for (const op of ["connect", "__select"]) {
      const { status, body } = await click(id, { op, arg: "7", version });
      expect([status, body.code]).toEqual([409, "conflict"]);
    }
    expect(await hub.admin.runs.list({ row: id })).toEqual([]);
  });

  test("A user who is not an admin cannot click, even on a visible row", async () => {
    const { id } = await hub.addRow("Red widget", ["red"]);
    const path = `/rows/${id}/fields/place/widget`;
    const answer = await request("POST", path, { op: "connect", input: { town: "Graz" } }, ada);
    expect(answer.status).toBe(403);
    expect((await readSettings(id)).place?.value).toBeNull();
  });

  test("A click on an unknown operation, or on a field without a widget, gets 404", async () => {
    const { id } = await hub.addRow("Odd");
    expect((await click(id, { op: "absent" })).status).toBe(404);
    expect((await request("POST", `/rows/${id}/fields/mode/widget`, {})).status).toBe(404);
  });

  test("A widget that is larger than a result may be is cut, and the answer says so", async () => {
    const { id } = await hub.addRow("Wide");
    expect((await click(id, {})).body).not.toHaveProperty("html_cut");
    const selected = await click(id, { op: "__select", arg: "wide" });
    expect(selected.body.html_cut).toBeTrue();
    expect((await click(id, {})).body.html_cut).toBeTrue();
  });

  test("A click with more than 1,000 named elements is refused", async () => {
    const { id } = await hub.addRow("Crowded");
    const send = (count: number) => {
      const names = Array.from({ length: count }, (_, index) => `element_${index}`);
      const input = Object.fromEntries(names.map((name) => [name, "on"]));
      return click(id, { op: "prune", arg: "7", input });
    };
    expect((await send(1_000)).status).toBe(200);
    const refused = await send(1_001);
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      400,
      expect.stringContaining("at most 1000 named elements"),
    ]);
  });
});

test("A look-up for a picker returns at most 20 ids and names", async () => {
  const { id } = await hub.addRow("Picked");
  const { body } = await request("GET", `/rows/${id}/lookup?source=people&q=ad`);
  expect(body).toEqual([{ id: "1", name: "people like ad" }]);
  expect((await request("GET", `/rows/${id}/lookup?source=people&q=all`)).body).toHaveLength(20);
});

describe("A user who sees the row", () => {
  const lookUpAs = async (rowId: string, source: string) => {
    const path = `/rows/${rowId}/lookup?source=${source}&q=ad`;
    return (await request("GET", path, undefined, ada)).status;
  };

  test("A user can use the look-ups of enabled operations, but not those of the settings", async () => {
    const { id } = await hub.addRow("Shared", ["red"]);
    expect(await lookUpAs(id, "members")).toBe(200);
    expect(await lookUpAs(id, "people")).toBe(422);
    await hub.admin.operations.disable(id, "invite");
    expect(await lookUpAs(id, "members")).toBe(422);
  });

  test("A user cannot use the look-ups of a disabled row", async () => {
    const { id } = await hub.addRow("Off", ["red"]);
    await hub.admin.rows.disable(id);
    expect(await lookUpAs(id, "members")).toBe(422);
  });
});

test("A repeated look-up is answered from the cache for a minute, until the row changes", async () => {
  const { id } = await hub.addRow("Kept");
  const countAsked = async () => {
    await request("GET", `/rows/${id}/lookup?source=people&q=ad`);
    return (await hub.admin.runs.list({ row: id, operation: "hub.lookup" })).length;
  };
  expect([await countAsked(), await countAsked()]).toEqual([1, 1]);
  await hub.admin.rows.set(id, { values: { token: "another-token" } });
  expect(await countAsked()).toBe(2);
  await request("DELETE", `/rows/${id}`);
  expect((await request("GET", `/rows/${id}/lookup?source=people&q=ad`)).status).toBe(404);
});

test("A health check reports whether the configuration works, and its reason masks the secret", async () => {
  const { id } = await hub.addRow("Healthy");
  expect((await request("POST", `/rows/${id}/health`)).body).toEqual({ ok: true });
  await hub.admin.rows.set(id, { values: { token: "wrong" } });
  const sick = (await request("POST", `/rows/${id}/health`)).body;
  expect(sick.ok).toBeFalse();
  expect(sick.reason).toMatch(/^The host refused hub_enc_/);
});

describe("The test action", () => {
  test("An admin can test an operation that clients do not see, and the run names the admin", async () => {
    const { id } = await hub.addRow("Tested");
    await request("POST", `/rows/${id}/disable`);
    const { body } = await request("POST", `/rows/${id}/operations/prune/test`, {
      params: { arg: 3 },
    });
    expect(body.result).toEqual({ pruned: 3 });
    const [run] = await hub.admin.runs.list({ row: id });
    expect(run).toMatchObject({
      id: body.run_id,
      source: "test",
      user: "root@example.com",
      status: "success",
    });
  });

  test("A test keeps every digit of a number in params and result", async () => {
    const { id } = await hub.addRow("Exact");
    const response = await fetch(`${hub.url}/manager/api/rows/${id}/operations/prune/test`, {
      method: "POST",
      headers: { ...admin.headers, "content-type": "application/json" },
      body: '{"params":{"arg":9007199254740993}}',
    });
    expect(await response.text()).toContain('"pruned":9007199254740993');
  });

  test("A test that starts from an earlier run is recorded as its retry", async () => {
    const { id } = await hub.addRow("Repeated", ["red"]);
    const other = await hub.addRow("Other", ["red"]);
    const run = (row: string, body: object) =>
      request("POST", `/rows/${row}/operations/greet/test`, { params: { name: "Ada" }, ...body });
    const first = (await run(id, {})).body.run_id;
    const second = (await run(id, { retry_of: first })).body.run_id;
    const { body } = await request("GET", `/runs/${second}`);
    expect(body).toMatchObject({ source: "retry", parent_run_id: first });
    const elsewhere = await run(other.id, { retry_of: first });
    expect([elsewhere.status, elsewhere.body.code]).toEqual([404, "not_found"]);
  });

  test("An operation's inputs are a form for who sees the row; those behind widgets only for admins", async () => {
    const { id } = await hub.addRow("Formed", ["red"]);
    const shown = await request("GET", `/rows/${id}/operations/greet`, undefined, ada);
    expect(shown.body).toMatchObject({
      key: "greet",
      input_schema: { required: ["name"] },
      groups: [{ title: "Configuration", fields: [{ key: "name", required: true, value: null }] }],
    });
    const hidden = await request("GET", `/rows/${id}/operations/prune`, undefined, ada);
    expect([hidden.status, JSON.stringify(hidden.body)]).toEqual([
      404,
      expect.not.stringContaining("places"),
    ]);
    expect((await request("GET", `/rows/${id}/operations/prune`)).status).toBe(200);
  });

  test("A test with invalid params lists the problem of each field", async () => {
    const { id } = await hub.addRow("Wrong");
    const { status, body } = await request("POST", `/rows/${id}/operations/greet/test`, {
      params: { nam: "Ada" },
    });
    expect([status, body.code]).toEqual([422, "invalid_params"]);
    expect(body.issues.length).toBeGreaterThan(0);
  });

  test("A refused test is recorded as a run with its token (trap 12)", async () => {
    const { id } = await hub.addRow("Recorded");
    const unready = (await request("POST", "/rows", { connector: "fixture", label: "Unready" }))
      .body;
    await request("POST", `/rows/${id}/operations/greet/test`, { params: { nam: "Ada" } });
    await request("POST", `/rows/${unready.id}/operations/greet/test`, { params: { name: "Ada" } });
    const runs = [
      ...(await hub.admin.runs.list({ row: id })),
      ...(await hub.admin.runs.list({ row: unready.id })),
    ];
    expect(
      runs.map(({ error_code, token_id, http_status }) => [error_code, token_id, http_status]),
    ).toEqual([
      ["invalid_params", admin.tokenId, null],
      ["needs_setup", admin.tokenId, null],
    ]);
  });
});

describe("Request bodies", () => {
  test.each([
    ["invalid JSON", "{", 400],
    ["an array", "[]", 400],
    ["no content", "", 400],
  ])("A body of %s is refused", async (_, text, status) => {
    const response = await fetch(`${hub.url}/manager/api/rows`, {
      method: "POST",
      headers: { ...admin.headers, "content-type": "application/json" },
      body: text,
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code: "bad_request" });
  });

  test("A body without required members can be left out", async () => {
    const { id } = await hub.addRow("Bodiless");
    const copy = await request("POST", `/rows/${id}/duplicate`);
    expect([copy.status, copy.body.label]).toEqual([201, "Bodiless (copy)"]);
  });

  test("A body of type text/plain is refused, because a foreign page can send one", async () => {
    const response = await fetch(`${hub.url}/manager/api/rows`, {
      method: "POST",
      headers: { ...admin.headers, "content-type": "text/plain" },
      body: '{"connector":"fixture","label":"x"}',
    });
    expect(response.status).toBe(415);
  });
});

describe("Refusals of the routes for access, review, settings and lists", () => {
  const absent = crypto.randomUUID();
  const ids = (count: number) => Array.from({ length: count }, () => crypto.randomUUID());
  type Refusal = [status: number, method: string, path: string, body?: object];
  const refusals: Refusal[] = [
    [404, "GET", `/rows/${absent}/access`],
    [404, "GET", `/rows/${absent}/access/preview`],
    [404, "PUT", `/rows/${absent}/access`, { version: 1 }],
    [404, "PUT", "/rows/ROW/access", { version: 1, give: [absent] }],
    [409, "PUT", "/rows/ROW/access", { version: 99 }],
    [400, "PUT", "/rows/ROW/access", { version: 1, take: ids(101) }],
    [404, "PATCH", `/rows/${absent}/settings`, { version: 1, values: {} }],
    [409, "PATCH", "/rows/ROW/settings", { version: 99, values: { mode: "signed" } }],
    [400, "PATCH", "/rows/ROW/settings", { version: 1, values: { absent: "x" } }],
    [404, "GET", `/rows/${absent}/review/lines`],
    [400, "GET", "/rows/ROW/review/lines?limit=201"],
    [404, "POST", `/rows/${absent}/review/hide`, { operations: [], hidden: true }],
    [400, "POST", "/rows/ROW/review/hide", { operations: ["greet"], hidden: true }],
    [400, "POST", "/rows/bulk", { rows: ids(501), do: "enable" }],
    [400, "POST", "/rows/bulk", { rows: [], do: "enable" }],
    [400, "POST", "/rows/bulk", { rows: [absent], do: "delete" }],
    [400, "GET", "/overview?span=year"],
    [400, "GET", "/attention?limit=0"],
    [400, "GET", "/operations?limit=101"],
    [400, "GET", `/runs/errors?code=${"x".repeat(201)}`],
    [400, "GET", "/runs/figures?from=yesterday"],
  ];

  test.each(refusals)("%i for %s %s", async (...refusal) => {
    const [status, method, path, body] = refusal;
    const { id } = await hub.addRow("Refusing", ["red"]);
    const answer = await request(method, path.replace("ROW", id), body);
    const codes = { 400: "bad_request", 404: "not_found", 409: "conflict" };
    expect([answer.status, answer.body.code]).toEqual([status, Object(codes)[status]]);
  });

  test("A preview of tags is refused for an unknown user, and for a text that is too long", async () => {
    const preview = (user: string, tags: string) =>
      hub.request("GET", `/admin/api/users/${user}/tag-preview?tags=${tags}`, admin);
    expect((await preview(absent, "red")).status).toBe(404);
    expect((await preview(ada.user.id, "x".repeat(6501))).status).toBe(400);
  });
});

test("An import gives people access to each row by a tag of its own, and makes no row for an unknown person", async () => {
  const mcpServers = {
    ImportOne: { url: "https://one.test/mcp" },
    ImportTwo: { url: "https://two.test/mcp" },
  };
  const file = { text: JSON.stringify({ mcpServers }), servers: [0, 1] };
  const headers = await hub.openBrowser(admin.user.id);
  const importRows = async (people: string[]) => {
    const body = { ...file, people };
    return (await hub.request("POST", "/manager/api/imports", { headers, body })).body;
  };
  const refused = await importRows([crypto.randomUUID()]);
  expect([refused.added.length, refused.failed.length]).toEqual([0, 2]);
  const { added, failed } = await importRows([ada.user.id]);
  expect(failed).toEqual([]);
  expect(added.map(({ label }: { label: string }) => label)).toEqual(["ImportOne", "ImportTwo"]);
  for (const { id } of added) {
    const { body: access } = await request("GET", `/rows/${id}/access`);
    expect(access.people.map(({ email }: { email: string }) => email)).toEqual(["ada@example.com"]);
    expect(access.tags).toEqual([]);
  }
});
