/** Connectors and rows over the API: the contract's shapes, settings and their widgets, switches. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectHttp } from "../support/connect-sdk-1.ts";
import { type ApiHub, openApiHub } from "./open-api-hub.ts";

type Asker = Awaited<ReturnType<ApiHub["addUser"]>>;
type Setting = { key: string; value: string | null; is_set: boolean };

let hub: ApiHub;
let ada: Asker;
let admin: Asker;
beforeAll(async () => {
  hub = await openApiHub();
  ada = await hub.addUser("ada@example.com", { tags: ["red"] });
  admin = await hub.addUser("root@example.com", { admin: true });
});
afterAll(() => hub[Symbol.asyncDispose]());

const ask = (method: string, path: string, body?: unknown, who = admin) =>
  hub.ask(method, `/manager/api${path}`, { ...who, body });

async function readSettings(row: string): Promise<Record<string, Setting>> {
  const { body } = await ask("GET", `/rows/${row}/settings`);
  const fields: Setting[] = body.groups.flatMap((group: { fields: Setting[] }) => group.fields);
  return Object.fromEntries(fields.map((field) => [field.key, field]));
}

test("A password or a query in base_url is refused by every route that saves it, with the field to use", async () => {
  const values = { base_url: "https://api.example.com" };
  const added = await ask("POST", "/rows", { connector: "http", label: "Api", values });
  const { id, version } = added.body;
  const row = `/rows/${id}`;
  const refused: [string, string][] = [
    ["https://ada:pw-5678@api.example.com", "username (with auth_mode=basic)"],
    ["https://api.example.com?key=pw-5678", "query_value (with auth_mode=query)"],
  ];
  for (const [base_url, advice] of refused) {
    for (const { status, body } of [
      await ask("POST", "/rows", { connector: "http", label: "Bad", values: { base_url } }),
      await ask("PATCH", row, { values: { base_url }, version }),
      await ask("PUT", `${row}/fields/base_url`, { value: base_url, version }),
    ]) {
      expect([status, body.code]).toEqual([400, "bad_request"]);
      expect(body.error).toContain(advice);
      expect(body.error).not.toContain("5678");
    }
  }
});

describe("the contract's shapes", () => {
  test("type-disable and type-enable answer the flag and nothing else, and clients obey at once", async () => {
    const { id } = await hub.addRow("Switched", ["red"]);
    await using client = await connectHttp(hub.url, ada.token);
    const listed = async () => {
      const { value } = await client.call("hub_list");
      return value.tools.some((tool: { tool_id: string }) => tool.tool_id === `conn:${id}/greet`);
    };
    const call = async () => (await client.execute(`conn:${id}/greet`, { name: "Ada" })).value.code;

    const disabled = await ask("POST", "/connectors/fixture/type-disable");
    expect([disabled.status, disabled.body]).toEqual([200, { disabled_type: true }]);
    expect([await listed(), await call()]).toEqual([false, "connector_disabled"]);
    expect((await ask("GET", `/rows/${id}`)).body.disabled_type).toBeTrue();

    const enabled = await ask("POST", "/connectors/fixture/type-enable");
    expect([enabled.status, enabled.body]).toEqual([200, { disabled_type: false }]);
    expect([await listed(), await call()]).toEqual([true, undefined]);
  });

  test("one row's switch touches no other row", async () => {
    const [one, other] = [await hub.addRow("One", ["red"]), await hub.addRow("Other", ["red"])];
    await using client = await connectHttp(hub.url, ada.token);
    const call = async (id: string) =>
      (await client.execute(`conn:${id}/greet`, { name: "Ada" })).value.code;
    expect((await ask("POST", `/rows/${one.id}/disable`)).body.disabled).toBeTrue();
    expect([await call(one.id), await call(other.id)]).toEqual(["connector_disabled", undefined]);
    await ask("POST", `/rows/${one.id}/operations/greet/disable`);
    expect((await ask("POST", `/rows/${one.id}/enable`)).body.disabled).toBeFalse();
    expect(await call(one.id)).toBe("operation_disabled");
    expect((await ask("POST", `/rows/${one.id}/operations/greet/enable`)).body).toEqual({
      row_id: one.id,
      operation: "greet",
      enabled: true,
    });
    expect(await call(one.id)).toBeUndefined();
  });
});

describe("settings", () => {
  test("are saved field by field; a secret is set, kept, cleared, and never told", async () => {
    const made = await ask("POST", "/rows", { connector: "fixture", label: "Set" });
    const { id, version, missing } = made.body;
    expect([made.status, missing]).toEqual([201, ["token"]]);

    const saved = await ask("PUT", `/rows/${id}/fields/token`, { value: "first-secret", version });
    expect(saved.body.missing).toEqual([]);
    const changed = await ask("PATCH", `/rows/${id}`, {
      version: saved.body.version,
      label: "Set again",
      values: { mode: "signed" },
    });
    // A field that a choice made visible counts from now on.
    expect(changed.body).toMatchObject({ label: "Set again", missing: ["signing_key"] });
    const kept = await readSettings(id);
    expect(kept.token).toMatchObject({ value: null, is_set: true });
    expect(kept.mode).toMatchObject({ value: "signed", is_set: true });

    const cleared = await ask("PUT", `/rows/${id}/fields/token`, {
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
      await ask("GET", `/rows/${id}`),
    ]);
    expect(answers).not.toContain("first-secret");
  });

  test("of two admins at once the second is told, and nothing of the first is lost", async () => {
    const { id, version } = await hub.addRow("Contested");
    const first = await ask("PATCH", `/rows/${id}`, { version, label: "First" });
    expect(first.status).toBe(200);
    for (const late of [
      ask("PATCH", `/rows/${id}`, { version, label: "Second" }),
      ask("PUT", `/rows/${id}/fields/mode`, { version, value: "signed" }),
      ask("POST", `/rows/${id}/fields/signing_key/generate`, { version }),
    ]) {
      const { status, body } = await late;
      expect([status, body.code, body.version]).toEqual([409, "conflict", first.body.version]);
    }
    expect((await ask("GET", `/rows/${id}`)).body.label).toBe("First");
  });

  test("that do not fit are refused with what is wrong, and nothing is saved", async () => {
    const { id, version } = await hub.addRow("Refused");
    const { status, body } = await ask("PATCH", `/rows/${id}`, {
      version,
      values: { mode: "loud", nonsense: 1 },
    });
    expect([status, body.code]).toEqual([400, "bad_request"]);
    expect(body.issues.map((issue: { path: string }) => issue.path)).toEqual(["mode", "nonsense"]);
    expect((await ask("GET", `/rows/${id}`)).body.version).toBe(version);
    const misspelt = await ask("PATCH", `/rows/${id}`, { version, lable: "x" });
    expect([misspelt.status, misspelt.body.code]).toEqual([400, "bad_request"]);
  });

  test("generate a fresh value where the field can, and say so where it cannot", async () => {
    const { id, version } = await hub.addRow("Generated");
    const made = await ask("POST", `/rows/${id}/fields/signing_key/generate`, { version });
    expect(made.status).toBe(200);
    expect(JSON.stringify(made.body)).not.toContain("fresh-signing-key");
    const refused = await ask("POST", `/rows/${id}/fields/token/generate`, {
      version: made.body.version,
    });
    expect([refused.status, refused.body.code]).toEqual([400, "bad_request"]);
  });

  test("are copied with a row, but for its secrets, and the copy begins disabled", async () => {
    const { id } = await hub.addRow("Original", ["red"]);
    await ask("POST", `/rows/${id}/operations/wait/disable`);
    const copy = await ask("POST", `/rows/${id}/duplicate`, {});
    expect([copy.status, copy.body.label, copy.body.disabled]).toEqual([
      201,
      "Original (copy)",
      true,
    ]);
    const tested = await ask("POST", `/rows/${copy.body.id}/operations/greet/test`, {
      params: { name: "Ada" },
    });
    expect(tested.body).toMatchObject({ code: "needs_setup", missing: ["token"] });
    const wait = copy.body.operations.find((one: { key: string }) => one.key === "wait");
    expect(wait.enabled).toBeFalse();
  });
});

describe("an html widget", () => {
  const click = (row: string, body: unknown) =>
    ask("POST", `/rows/${row}/fields/place/widget`, body);

  test("renders, stores what is selected, and renders anew", async () => {
    const { id } = await hub.addRow("Widget");
    expect((await click(id, {})).body).toEqual({
      html: expect.stringContaining('data-op="__select" data-arg="7"'),
    });
    const selected = await click(id, { op: "__select", arg: "7" });
    expect(selected.body.html).toStartWith("<p>7</p>");
    expect((await readSettings(id)).place?.value).toBe("7");
  });

  test("runs an operation with its argument and named elements; a box counts as checked when it is sent", async () => {
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

  test("a click answers what its operation did, and renders anew", async () => {
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

  test("elements that no input declares are in the operation's context; their values are not on record", async () => {
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
      _omitted: "Values of the widget's elements were not kept: town, sure.",
    });
  });

  test("fields of a click's answer are saved with the checks of any save, all or none", async () => {
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

  test("an answer too large to be read saves nothing, and says so", async () => {
    const { id } = await hub.addRow("Large");
    const { status, body } = await click(id, {
      op: "connect",
      input: { town: "x", chars: "300000" },
    });
    expect([status, body.error]).toEqual([502, expect.stringContaining("nothing was saved")]);
    expect((await readSettings(id)).place?.value).toBeNull();
  });

  test("a click on a row that has moved on since it was read does nothing", async () => {
    const { id } = await hub.addRow("Moved");
    const { body: settings } = await ask("GET", `/rows/${id}/settings`);
    await hub.admin.rows.set(id, { label: "Moved on" });
    const { version } = settings;
    for (const op of ["connect", "__select"]) {
      const { status, body } = await click(id, { op, arg: "7", version });
      expect([status, body.code]).toEqual([409, "conflict"]);
    }
    expect(await hub.admin.runs.list({ row: id })).toEqual([]);
  });

  test("a user who may not manage the row clicks nothing, also on a row of their tag", async () => {
    const { id } = await hub.addRow("Red widget", ["red"]);
    const path = `/rows/${id}/fields/place/widget`;
    const answer = await ask("POST", path, { op: "connect", input: { town: "Graz" } }, ada);
    expect(answer.status).toBe(403);
    expect((await readSettings(id)).place?.value).toBeNull();
  });

  test("refuses a click on what is no operation, and a field that is no widget", async () => {
    const { id } = await hub.addRow("Odd");
    expect((await click(id, { op: "absent" })).status).toBe(404);
    expect((await ask("POST", `/rows/${id}/fields/mode/widget`, {})).status).toBe(404);
  });

  test("A click with more than 1,000 named elements is refused before any of them is read", async () => {
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

test("a picker looks up what was typed, as a list of ids and names", async () => {
  const { id } = await hub.addRow("Picked");
  const { body } = await ask("GET", `/rows/${id}/lookup?source=people&q=ad`);
  expect(body).toEqual([{ id: "1", name: "people like ad" }]);
  expect((await ask("GET", `/rows/${id}/lookup?source=people&q=all`)).body).toHaveLength(20);
});

describe("a user who sees the row", () => {
  const lookUpAs = async (rowId: string, source: string) => {
    const path = `/rows/${rowId}/lookup?source=${source}&q=ad`;
    return (await ask("GET", path, undefined, ada)).status;
  };

  test("looks up for inputs of operations that are callable, never for the settings", async () => {
    const { id } = await hub.addRow("Shared", ["red"]);
    expect(await lookUpAs(id, "members")).toBe(200);
    expect(await lookUpAs(id, "people")).toBe(404);
    await hub.admin.operations.disable(id, "invite");
    expect(await lookUpAs(id, "members")).toBe(404);
  });

  test("looks nothing up for a row that is disabled", async () => {
    const { id } = await hub.addRow("Off", ["red"]);
    await hub.admin.rows.disable(id);
    expect(await lookUpAs(id, "members")).toBe(404);
  });
});

test("a picker asks the outside system once a minute for the same, and anew after a change", async () => {
  const { id } = await hub.addRow("Kept");
  const countAsked = async () => {
    await ask("GET", `/rows/${id}/lookup?source=people&q=ad`);
    return (await hub.admin.runs.list({ row: id, operation: "hub.lookup" })).length;
  };
  expect([await countAsked(), await countAsked()]).toEqual([1, 1]);
  await hub.admin.rows.set(id, { values: { token: "another-token" } });
  expect(await countAsked()).toBe(2);
  await ask("DELETE", `/rows/${id}`);
  expect((await ask("GET", `/rows/${id}/lookup?source=people&q=ad`)).status).toBe(404);
});

test("a health check tells whether the configuration works, without the secret it was tried with", async () => {
  const { id } = await hub.addRow("Healthy");
  expect((await ask("POST", `/rows/${id}/health`)).body).toEqual({ ok: true });
  await hub.admin.rows.set(id, { values: { token: "wrong" } });
  const sick = (await ask("POST", `/rows/${id}/health`)).body;
  expect(sick.ok).toBeFalse();
  expect(sick.reason).toMatch(/^The host refused hub_enc_/);
});

describe("the test action", () => {
  test("runs what clients are never offered, and is recorded as a test of who asked", async () => {
    const { id } = await hub.addRow("Tested");
    await ask("POST", `/rows/${id}/disable`);
    const { body } = await ask("POST", `/rows/${id}/operations/prune/test`, { params: { arg: 3 } });
    expect(body.result).toEqual({ pruned: 3 });
    const [run] = await hub.admin.runs.list({ row: id });
    expect(run).toMatchObject({
      id: body.run_id,
      source: "test",
      user: "root@example.com",
      status: "success",
    });
  });

  test("keeps every digit of a number, both ways", async () => {
    const { id } = await hub.addRow("Exact");
    const response = await fetch(`${hub.url}/manager/api/rows/${id}/operations/prune/test`, {
      method: "POST",
      headers: { ...admin.headers, "content-type": "application/json" },
      body: '{"params":{"arg":9007199254740993}}',
    });
    expect(await response.text()).toContain('"pruned":9007199254740993');
  });

  test("tells what is wrong with the params, field by field", async () => {
    const { id } = await hub.addRow("Wrong");
    const { status, body } = await ask("POST", `/rows/${id}/operations/greet/test`, {
      params: { nam: "Ada" },
    });
    expect([status, body.code]).toEqual([422, "invalid_params"]);
    expect(body.issues.length).toBeGreaterThan(0);
  });

  test("leaves a run with its token when it is refused, whatever for (trap 12)", async () => {
    const { id } = await hub.addRow("Recorded");
    const unready = (await ask("POST", "/rows", { connector: "fixture", label: "Unready" })).body;
    await ask("POST", `/rows/${id}/operations/greet/test`, { params: { nam: "Ada" } });
    await ask("POST", `/rows/${unready.id}/operations/greet/test`, { params: { name: "Ada" } });
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

describe("bodies", () => {
  test.each([
    ["no JSON", "{", 400],
    ["a list", "[]", 400],
    ["nothing where something is needed", "", 400],
  ])("of %s are refused", async (_, text, status) => {
    const response = await fetch(`${hub.url}/manager/api/rows`, {
      method: "POST",
      headers: { ...admin.headers, "content-type": "application/json" },
      body: text,
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code: "bad_request" });
  });

  test("may be left out where nothing has to be in them", async () => {
    const { id } = await hub.addRow("Bodiless");
    const copy = await ask("POST", `/rows/${id}/duplicate`);
    expect([copy.status, copy.body.label]).toEqual([201, "Bodiless (copy)"]);
  });

  test("that come as a form are refused: a foreign page may send one unasked", async () => {
    const response = await fetch(`${hub.url}/manager/api/rows`, {
      method: "POST",
      headers: { ...admin.headers, "content-type": "text/plain" },
      body: '{"connector":"fixture","label":"x"}',
    });
    expect(response.status).toBe(415);
  });
});
