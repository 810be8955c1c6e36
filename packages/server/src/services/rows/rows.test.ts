import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { localAdmin } from "../../identity/local-admin.ts";
import { openAtRest } from "../../secrets/at-rest.ts";
import { findRow } from "../../store/rows.ts";
import { openTestServices } from "../testing/open-test-services.ts";
import { findMissingOfNewRow } from "./rows.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
beforeAll(async () => {
  hub = await openTestServices();
});
afterAll(() => hub.close());

const secret = "s3cret-of-the-tracker";
const values = { base_url: "https://tracker.example.com", token: secret };

function addTracker(label: string) {
  return hub.admin.rows.add({ connector: "tracker", label, tags: ["support"], values });
}

async function readStored(id: string, key: string) {
  const row = await findRow(hub.deps.store.db, id);
  return row?.values.find((stored) => stored.key === key);
}

describe("adding", () => {
  test("a secret is sealed at rest, for its row and field", async () => {
    const { id } = await addTracker("Sealed");
    const stored = await readStored(id, "token");
    expect(stored?.value).toBeNull();
    const sealed = stored?.sealed ?? new Uint8Array();
    expect(Buffer.from(sealed).toString("latin1")).not.toContain(secret);
    const place = { table: "row_values", row: id, field: "token" };
    expect(openAtRest(hub.deps.ring.current(), place, sealed)).toBe(secret);
  });

  test("defaults are seeded and saved", async () => {
    const { id } = await addTracker("Seeded");
    expect((await readStored(id, "region"))?.value).toBe("eu");
    expect((await readStored(id, "page_size"))?.value).toBe("20");
  });

  test("a row that lacks required values is kept and says which", async () => {
    const added = await hub.admin.rows.add({ connector: "tracker", label: "Empty" });
    expect(added.missing).toEqual(["base_url", "token"]);
    expect(findMissingOfNewRow(hub.deps, { connector: "tracker", values: {} })).toHaveLength(2);
  });

  test("values that do not fit are all named at once", async () => {
    const bad = { base_url: "nowhere", page_size: "many", regoin: "eu" };
    const added = hub.admin.rows.add({ connector: "tracker", label: "Bad", values: bad });
    await expect(added).rejects.toMatchObject({
      code: "bad_request",
      detail: {
        issues: [{ path: "base_url" }, { path: "page_size" }, { path: "regoin" }],
      },
    });
    await expect(added).rejects.toThrow('Did you mean "region"?');
  });

  test("of values that do not fit a hundred are named", async () => {
    const unknown = Array.from({ length: 101 }, (_, index) => [`wrong_${index}`, "x"]);
    const added = hub.admin.rows.add({
      connector: "tracker",
      label: "Wrong",
      values: Object.fromEntries(unknown),
    });
    const issues = unknown.slice(0, 100).map(([path]) => expect.objectContaining({ path }));
    await expect(added).rejects.toMatchObject({ code: "bad_request", detail: { issues } });
  });

  test("a copy's own label has at most a hundred characters", async () => {
    const { id } = await addTracker("Original");
    const label = "x".repeat(100);
    expect((await hub.admin.rows.duplicate(id, { label })).label).toBe(label);
    await expect(hub.admin.rows.duplicate(id, { label: `${label}x` })).rejects.toMatchObject({
      code: "bad_request",
    });
  });

  test("a table is given as JSON, by text or by value", async () => {
    const projects = [{ id: "1", name: "One" }];
    const given = [JSON.stringify(projects), projects];
    for (const [index, value] of given.entries()) {
      const { id } = await hub.admin.rows.add({
        connector: "tracker",
        label: `Table ${index}`,
        values: { projects: value },
      });
      expect(JSON.parse((await readStored(id, "projects"))?.value ?? "")).toEqual(projects);
    }
  });

  test("an unknown connector is told with the one it resembles", async () => {
    const added = hub.admin.rows.add({ connector: "traker", label: "x" });
    await expect(added).rejects.toThrow('Did you mean "tracker"?');
  });
});

describe("showing", () => {
  test("no answer of any verb holds a secret", async () => {
    const added = await addTracker("Hidden");
    const shown = await hub.admin.rows.show(added.id);
    const listed = await hub.admin.rows.list();
    const changed = await hub.admin.rows.set(added.id, { values: { token: `${secret}2` } });
    expect(JSON.stringify([added, shown, listed, changed])).not.toContain(secret);
    expect(shown.values).toContainEqual({
      key: "token",
      value: null,
      is_set: true,
      secret: true,
      required: true,
      description: "",
    });
  });

  test("a row is found by its whole id alone, in whatever case", async () => {
    const { id, label } = await addTracker("By id");
    expect((await hub.admin.rows.show(id.toUpperCase())).id).toBe(id);
    for (const name of [label, id.slice(0, 8)]) {
      await expect(hub.admin.rows.disable(name)).rejects.toMatchObject({ code: "not_found" });
    }
  });
});

describe("changing", () => {
  test("what is not named stays, and an empty text unsets", async () => {
    const { id } = await addTracker("Change");
    const changed = await hub.admin.rows.set(id, {
      label: "Changed",
      removeTags: ["support"],
      addTags: ["everyone"],
      values: { base_url: "", region: "us" },
    });
    expect(changed).toMatchObject({
      id,
      label: "Changed",
      tags: ["everyone"],
      missing: ["base_url"],
    });
    expect((await readStored(id, "region"))?.value).toBe("us");
    expect((await readStored(id, "token"))?.sealed).not.toBeNull();
  });

  test("a description is recorded as changed where it is another, and is not itself recorded", async () => {
    const { id } = await addTracker("Described");
    const before = { label: "Described", description: "The old one." };
    await hub.admin.rows.set(id, { description: before.description });
    await hub.admin.rows.set(id, before);
    await hub.admin.rows.set(id, { values: { region: "us" } });
    const records = await hub.admin.changes.list({ targetId: id, action: "row.update" });
    expect(records.map(({ detail }) => detail)).toEqual([
      { fields: ["region"] },
      {},
      { description: true },
    ]);
  });

  test("a locked field is set at the row's making only", async () => {
    const { id } = await hub.admin.rows.add({
      connector: "tracker",
      label: "Locked",
      values: { ...values, site: "main" },
    });
    const changed = hub.admin.rows.set(id, { values: { site: "other" } });
    await expect(changed).rejects.toThrow("site cannot be changed after the row is created.");
  });

  test("a field with a generator is filled afresh; others are not", async () => {
    const { id } = await addTracker("Regenerated");
    await hub.admin.rows.set(id, { regenerate: ["hook_key"] });
    const place = { table: "row_values", row: id, field: "hook_key" };
    const sealed = (await readStored(id, "hook_key"))?.sealed ?? new Uint8Array();
    await expect(openAtRest(hub.deps.ring.current(), place, sealed)).toBe("fresh-hook-key");
    const changed = hub.admin.rows.set(id, { regenerate: ["region"] });
    await expect(changed).rejects.toThrow("region has no generator");
  });

  test("a change that fails halfway changes nothing", async () => {
    const { id } = await addTracker("Whole");
    const changed = hub.admin.rows.set(id, { label: "Half", addTags: ["not a tag"] });
    await expect(changed).rejects.toThrow('"not a tag" is not a tag name');
    expect((await hub.admin.rows.show(id)).label).toBe("Whole");
  });

  test("row, operation and type are switched off and on", async () => {
    const { id } = await addTracker("Switched");
    await expect((await hub.admin.rows.disable(id)).disabled).toBe(true);
    expect((await hub.admin.rows.enable(id)).disabled).toBe(false);
    await hub.admin.operations.disable(id, "read");
    const { operations } = await hub.admin.rows.show(id);
    expect(operations.find(({ key }) => key === "read")?.enabled).toBe(false);
    expect(await hub.admin.types.disable("tracker")).toEqual({
      connector: "tracker",
      disabled_type: true,
    });
    expect((await hub.admin.rows.show(id)).disabled_type).toBe(true);
    await hub.admin.types.enable("tracker");
    await expect(hub.admin.operations.enable(id, "rea")).rejects.toThrow('Did you mean "read"?');
  });
});

describe("testing", () => {
  const ctx = { caller: localAdmin, signal: new AbortController().signal };

  test("the test path reaches operations behind widgets and disabled rows, and is recorded", async () => {
    const { id } = await addTracker("Tested");
    await hub.admin.rows.disable(id);
    const result = await hub.admin.rows.test(ctx, { row: id, operation: "widget", params: {} });
    expect(result.value).toEqual({ html: "<p>ok</p>" });
    const [run] = await hub.admin.runs.list({ row: id });
    expect(run).toMatchObject({
      source: "test",
      status: "success",
      operation_key: "widget",
      user: "local-admin",
      row_label: "Tested",
    });
  });

  test("a test's answer is sealed as any call's", async () => {
    const { id } = await addTracker("Masked");
    const { value } = await hub.admin.rows.test(ctx, { row: id, operation: "read", params: {} });
    expect(value).toMatchObject({ token: expect.stringMatching(/^hub_enc_/), page: 20 });
  });
});
