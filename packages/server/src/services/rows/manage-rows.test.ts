import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { localAdmin } from "../../identity/local-admin.ts";
import { openAtRest } from "../../secrets/at-rest/at-rest.ts";
import { findRow } from "../../store/rows/rows-table.ts";
import { openTestServices } from "../testing/open-test-services.ts";
import { findMissingOfNewRow } from "./manage-rows.ts";

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

describe("adding rows", () => {
  test("A secret is sealed at rest for its row and field", async () => {
    const { id } = await addTracker("Sealed");
    const stored = await readStored(id, "token");
    expect(stored?.value).toBeNull();
    const sealed = stored?.sealed ?? new Uint8Array();
    expect(Buffer.from(sealed).toString("latin1")).not.toContain(secret);
    const place = { table: "row_values", row: id, field: "token" };
    expect(openAtRest(hub.deps.ring.current(), place, sealed)).toBe(secret);
  });

  test("A new row stores the defaults of its fields", async () => {
    const { id } = await addTracker("Seeded");
    expect((await readStored(id, "region"))?.value).toBe("eu");
    expect((await readStored(id, "page_size"))?.value).toBe("20");
  });

  test("A row without required values is stored and lists them", async () => {
    const added = await hub.admin.rows.add({ connector: "tracker", label: "Empty" });
    expect(added.missing).toEqual(["base_url", "token"]);
    expect(findMissingOfNewRow(hub.deps, { connector: "tracker", values: {} })).toHaveLength(2);
  });

  test("An error names all invalid values at once", async () => {
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

  test("An error names at most a hundred invalid values", async () => {
    const unknown = Array.from({ length: 101 }, (_, index) => [`wrong_${index}`, "x"]);
    const added = hub.admin.rows.add({
      connector: "tracker",
      label: "Wrong",
      values: Object.fromEntries(unknown),
    });
    const issues = unknown.slice(0, 100).map(([path]) => expect.objectContaining({ path }));
    await expect(added).rejects.toMatchObject({ code: "bad_request", detail: { issues } });
  });

  test("The label of a copy has at most a hundred characters", async () => {
    const { id } = await addTracker("Original");
    const label = "x".repeat(100);
    expect((await hub.admin.rows.duplicate(id, { label })).label).toBe(label);
    await expect(hub.admin.rows.duplicate(id, { label: `${label}x` })).rejects.toMatchObject({
      code: "bad_request",
    });
  });

  test("A table can be given as JSON text or as a value", async () => {
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

  test("An unknown connector is refused with a suggestion", async () => {
    const added = hub.admin.rows.add({ connector: "traker", label: "x" });
    await expect(added).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringContaining('Did you mean "tracker"?'),
    });
  });
});

describe("reading rows", () => {
  test("No result of a service contains a secret", async () => {
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

  test("A row is found only by its full id, in any case", async () => {
    const { id, label } = await addTracker("By id");
    expect((await hub.admin.rows.show(id.toUpperCase())).id).toBe(id);
    for (const name of [label, id.slice(0, 8)]) {
      await expect(hub.admin.rows.disable(name)).rejects.toMatchObject({ code: "not_found" });
    }
  });
});

describe("changing rows", () => {
  test("A change keeps other values, and an empty text unsets a value", async () => {
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

  test("A changed description is recorded as changed, without its text", async () => {
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

  test("A locked field can be set only when the row is created", async () => {
    const { id } = await hub.admin.rows.add({
      connector: "tracker",
      label: "Locked",
      values: { ...values, site: "main" },
    });
    const changed = hub.admin.rows.set(id, { values: { site: "other" } });
    await expect(changed).rejects.toThrow("site cannot be changed after the row is created.");
  });

  test("Only a field with a generator can be regenerated", async () => {
    const { id } = await addTracker("Regenerated");
    await hub.admin.rows.set(id, { regenerate: ["hook_key"] });
    const place = { table: "row_values", row: id, field: "hook_key" };
    const sealed = (await readStored(id, "hook_key"))?.sealed ?? new Uint8Array();
    await expect(openAtRest(hub.deps.ring.current(), place, sealed)).toBe("fresh-hook-key");
    const changed = hub.admin.rows.set(id, { regenerate: ["region"] });
    await expect(changed).rejects.toThrow("region has no generator");
  });

  test("A change has at most 100 tags, because each new tag costs a row in the database", async () => {
    const tags = Array.from({ length: 101 }, (_, at) => `tag-${at}`);
    const added = hub.admin.rows.add({ connector: "tracker", label: "Many tags", tags });
    await expect(added).rejects.toThrow("at most 100 tags");
    await expect(hub.admin.users.set("admin@localhost", { addTags: tags })).rejects.toThrow(
      "at most 100 tags",
    );
  });

  test("A change of another version than the present one is refused and changes nothing", async () => {
    const { id, version } = await addTracker("Versioned");
    const { version: present } = await hub.admin.rows.set(id, { label: "First", version });
    expect(present).toBeGreaterThan(version);
    await expect(hub.admin.rows.set(id, { label: "Second", version })).rejects.toMatchObject({
      code: "conflict",
      detail: { version: present },
    });
    expect((await hub.admin.rows.show(id)).label).toBe("First");
    // Without a version, the last change wins.
    expect((await hub.admin.rows.set(id, { label: "Third" })).label).toBe("Third");
  });

  test("A change that fails halfway changes nothing", async () => {
    const { id } = await addTracker("Whole");
    const changed = hub.admin.rows.set(id, { label: "Half", addTags: ["not a tag"] });
    await expect(changed).rejects.toThrow('"not a tag" is not a tag name');
    expect((await hub.admin.rows.show(id)).label).toBe("Whole");
  });

  test("A row, an operation and a type can be disabled and enabled", async () => {
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

describe("testing rows", () => {
  const ctx = { caller: localAdmin, signal: new AbortController().signal };

  test("The test path reaches operations behind widgets and disabled rows, and is recorded", async () => {
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

  test("The result of a test is sealed like that of any call", async () => {
    const { id } = await addTracker("Masked");
    const { value } = await hub.admin.rows.test(ctx, { row: id, operation: "read", params: {} });
    expect(value).toMatchObject({ token: expect.stringMatching(/^hub_enc_/), page: 20 });
  });
});

describe("a secret that can be guessed", () => {
  test("Saving it names its field, and so do the settings until it is replaced", async () => {
    const added = await addTracker("Guessed");
    expect(added.weak).toEqual(["token"]);
    expect((await hub.admin.rows.settings(added.id)).weak).toEqual(["token"]);
    const set = (token: string) => hub.admin.rows.set(added.id, { values: { token } });
    expect((await set("hunter22")).weak).toEqual(["token"]);
    expect((await set("9fK2xQ7vLm4RzW8pT3sY")).weak).toBeUndefined();
    expect((await hub.admin.rows.settings(added.id)).weak).toBeUndefined();
  });

  test("A header counts as its weakest part", async () => {
    const added = await addTracker("Basic");
    const token = `Basic ${Buffer.from("shop:hunter22").toString("base64")}`;
    expect((await hub.admin.rows.set(added.id, { values: { token } })).weak).toEqual(["token"]);
  });
});
