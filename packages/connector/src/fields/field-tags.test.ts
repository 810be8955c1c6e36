/** One test for each row of the specification's tables of config field tags, named after it. */
import { describe, expect, test } from "bun:test";
import { defineConnector } from "../define-connector.ts";
import { type Field, type FieldRecord, wick } from "../field-tags.ts";
import { runGenerator } from "../run-operation.ts";
import { checkParams } from "./check-field-params.ts";
import { readConfig, toStoredText } from "./config-values.ts";
import { type SettingsGroup, type SettingsRow, toSettings } from "./field-settings.ts";
import type { FieldSpec } from "./field-spec.ts";
import { findMissing } from "./find-missing.ts";
import { toInputSchema } from "./input-schema.ts";
import { parseFields } from "./parse-fields.ts";
import { selectOp, toWidgetParams } from "./widget-params.ts";

describe("widgets", () => {
  test("(none): text input, default for strings", () => {
    expect(read(wick())).toMatchObject({ widget: "text", base: "text" });
    expect(row(wick())).toMatchObject({ key: "value", widget: "text", value: "" });
    expect(property(wick())).toEqual({ type: "string" });
  });

  test("textarea: multi-line", () => {
    expect(row(wick("textarea")).widget).toBe("textarea");
    expect(parse(wick("textarea"), "two\nlines")).toBe("two\nlines");
    expect(property(wick("textarea"))).toEqual({ type: "string" });
  });

  test("dropdown=a|b|c: select, pipe-separated options", () => {
    const field = wick("dropdown=a|b|c");
    expect(row(field)).toMatchObject({ widget: "dropdown", options: ["a", "b", "c"] });
    expect(property(field)).toEqual({ type: "string", enum: ["a", "b", "c"] });
    expect(parse(field, "b")).toBe("b");
    expect(problem(field, "d")).toStartWith("must be one of a, b, c.");
    expect(property(wick.int("dropdown=10|20"))).toEqual({ type: "integer", enum: [10, 20] });
    expect(parse(wick.int("dropdown=10|20"), "20")).toBe(20);
  });

  test.each([
    "checkbox",
    "bool",
    "boolean",
  ] as const)("checkbox, bool, boolean: toggle switch, aliases (%s)", (alias) => {
    expect(row(wick(alias)).widget).toBe("checkbox");
    expect(row(wick.bool(alias)).widget).toBe("checkbox");
    expect(parse(wick(alias), "true")).toBe(true);
    expect(property(wick(alias))).toEqual({ type: "boolean" });
  });

  test("checkbox, bool, boolean: auto for boolean fields", () => {
    expect(row(wick.bool()).widget).toBe("checkbox");
    expect(parse(wick.bool(), "false")).toBe(false);
    expect(property(wick.bool())).toEqual({ type: "boolean" });
  });

  test("number: number input", () => {
    expect(row(wick("number")).widget).toBe("number");
    expect(parse(wick("number"), "1.5")).toBe(1.5);
    expect(row(wick.int("number")).widget).toBe("number");
  });

  test("number: auto for integer and float fields", () => {
    expect(row(wick.int()).widget).toBe("number");
    expect(row(wick.float()).widget).toBe("number");
    expect(parse(wick.int(), "7")).toBe(7);
    expect(problem(wick.int(), "7.5")).toBe("must be a whole number");
    expect(parse(wick.float(), "7.5")).toBe(7.5);
    expect(property(wick.int())).toEqual({ type: "integer" });
    expect(property(wick.float())).toEqual({ type: "number" });
  });

  test("secret: password input, masked, value never sent to the browser, bullets when set", () => {
    const field = wick("secret;default=hunter2;required");
    expect(read(field)).toMatchObject({ widget: "secret", secret: true });
    const [group] = settings([field], { value: "hunter3" }, ["value"]);
    expect(group?.rows[0]).toMatchObject({ widget: "secret", secret: true, isSet: true });
    expect(JSON.stringify(group)).not.toContain("hunter");
    expect(row(field)).not.toHaveProperty("value");
    expect(JSON.stringify(property(field))).not.toContain("hunter");
    expect(property(wick("secret"))).toEqual({ type: "string", writeOnly: true });
  });

  test("email: HTML input type email", () => {
    expect(row(wick("email")).widget).toBe("email");
    expect(property(wick("email"))).toEqual({ type: "string", format: "email" });
    expect(parse(wick("email"), "ada@example.com")).toBe("ada@example.com");
    expect(problem(wick("email"), "ada")).toContain("e-mail address");
  });

  test("url: HTML input type url", () => {
    expect(row(wick("url")).widget).toBe("url");
    expect(property(wick("url"))).toEqual({ type: "string", format: "uri" });
    expect(parse(wick("url"), "http://localhost:3000/x")).toBe("http://localhost:3000/x");
    for (const text of ["example.com", "localhost:8080", "https://", "https://a b"]) {
      expect(problem(wick("url"), text)).toContain("full URL");
    }
  });

  test("color: HTML input type color", () => {
    expect(row(wick("color")).widget).toBe("color");
    expect(parse(wick("color"), "#1A2b3c")).toBe("#1A2b3c");
    expect(problem(wick("color"), "red")).toContain("colour");
    expect(property(wick("color"))).toMatchObject({ type: "string", pattern: expect.anything() });
  });

  test("date: HTML input type date", () => {
    expect(row(wick("date")).widget).toBe("date");
    expect(property(wick("date"))).toEqual({ type: "string", format: "date" });
    expect(parse(wick("date"), "2028-02-29")).toBe("2028-02-29");
    for (const text of ["2027-02-29", "2027-13-01", "29.2.2028", "2028-02-29T10:00"]) {
      expect(problem(wick("date"), text)).toContain("date");
    }
  });

  test("datetime: HTML input type datetime-local", () => {
    expect(row(wick("datetime")).widget).toBe("datetime");
    for (const text of ["2026-11-20T09:30", "2026-11-20T09:30:15", "2026-11-20T23:59:59.9"]) {
      expect(parse(wick("datetime"), text)).toBe(text);
    }
    for (const text of [
      "2026-11-20",
      "2026-11-20T24:00",
      "2026-02-30T10:00",
      "2026-11-20T09:30Z",
    ]) {
      expect(problem(wick("datetime"), text)).toContain("date and time");
    }
    expect(property(wick("datetime"))).toMatchObject({ pattern: expect.anything() });
  });

  test("kvlist=col1|col2: editable table, value is a JSON array of string-keyed objects", () => {
    const field = wick("kvlist=col1|col2");
    expect(row(field)).toMatchObject({ widget: "kvlist", columns: ["col1", "col2"] });
    const rows = [{ col1: "a", col2: "b" }];
    expect(stored(field, rows)).toBe('[{"col1":"a","col2":"b"}]');
    expect(config(field, '[{"col1":"a","col2":"b"}]')).toEqual(rows);
    expect(property(field)).toEqual({
      type: "array",
      items: {
        type: "object",
        properties: { col1: { type: "string" }, col2: { type: "string" } },
        additionalProperties: false,
      },
    });
  });

  test("kvlist: bare kvlist uses one column named value", () => {
    expect(row(wick("kvlist"))).toMatchObject({ widget: "kvlist", columns: ["value"] });
    expect(config(wick("kvlist"), '[{"value":"a"}]')).toEqual([{ value: "a" }]);
  });

  test("picker=<source>: typeahead with chips, value is identical to kvlist=id|name", () => {
    const field = wick("picker=users");
    expect(read(field)).toMatchObject({ widget: "picker", source: "users" });
    expect(row(field)).toMatchObject({ source: "users", columns: ["id", "name"] });
    const text = '[{"id":"u1","name":"Ada"}]';
    expect(config(field, text)).toEqual([{ id: "u1", name: "Ada" }]);
    expect(config(wick("kvlist=id|name"), text)).toEqual([{ id: "u1", name: "Ada" }]);
    expect(stored(field, [{ id: "u1", name: "Ada" }])).toBe(text);
  });

  test("picker=<source>: the parent module must implement a lookup provider", () => {
    const parts = { ...connectorParts, config: { Owner: wick("picker=users") } };
    expect(() => defineConnector(parts)).toThrow(
      'Connector "tracker", field Owner: attribute "picker" needs the connector\'s lookup',
    );
    const definition = defineConnector({
      ...parts,
      lookup: ({ query }) => [{ id: "1", name: query }],
    });
    expect(definition.lookup).toBeDefined();
  });

  test("html=<op>: server-rendered widget, rendered from connector op <op>", () => {
    const parts = { ...connectorParts, config: { Status: wick("html=show_status") } };
    const definition = defineConnector(parts);
    const [group] = toSettings(definition.configFields, {}, { isSet: () => false });
    expect(group?.rows[0]).toMatchObject({ widget: "html", htmlOp: "show_status" });
    expect(parse(wick("html=show_status"), "42")).toBe("42");
  });

  test("html=<op>: the operation must exist", () => {
    const parts = { ...connectorParts, config: { Status: wick("html=show_statu") } };
    expect(() => defineConnector(parts)).toThrow(
      'Connector "tracker", field Status: attribute "html" names no operation "show_statu". Did you mean "show_status"?',
    );
  });

  test("html=<op>: the operation runs for users who manage the row, never through MCP", () => {
    const parts = { ...connectorParts, config: { Status: wick("html=list_issues") } };
    expect(() => defineConnector(parts)).toThrow(
      'field Status: attribute "html" needs the operation list_issues to be configOnly or adminOnly',
    );
  });
});

describe("modifiers", () => {
  test("desc=...: help text under the field", () => {
    expect(row(wick("desc=Where it answers")).description).toBe("Where it answers");
    expect(property(wick.int("desc=At most 100"))).toEqual({
      type: "integer",
      description: "At most 100",
    });
  });

  test("default=...: seed value used when the field is at its zero value", () => {
    const field = wick.int("default=3");
    expect(row(field).value).toBe("3");
    expect(config(field, "")).toBe(3);
    expect(config(field)).toBe(3);
    expect(property(field)).toEqual({ type: "integer", default: 3 });
    expect(property(wick.bool("default=true"))).toEqual({ type: "boolean", default: true });
    expect(property(wick("default=3"))).toEqual({ type: "string", default: "3" });
    expect(checkParams([read(field)], {}).values).toEqual({ value: 3 });
    expect(checkParams([read(wick("default=x"))], { value: "" }).values).toEqual({ value: "x" });
  });

  test("default=...: a stored 0 or false is kept", () => {
    expect(config(wick.int("default=3"), "0")).toBe(0);
    expect(config(wick.bool("default=true"), "false")).toBe(false);
    expect(row(wick.int("default=3"), "0").value).toBe("0");
    expect(checkParams([read(wick.int("default=3"))], { value: 0 }).values).toEqual({ value: 0 });
  });

  test("required: the missing-config check reports this key until it is set", () => {
    const fields = readAll({ BaseURL: wick("url;required"), Note: wick() });
    expect(keys(findMissing(fields, {}))).toEqual(["base_url"]);
    expect(keys(findMissing(fields, { base_url: "" }))).toEqual(["base_url"]);
    expect(keys(findMissing(fields, { base_url: "https://a.b" }))).toEqual([]);
    expect(row(wick("required")).required).toBe(true);
    expect(toInputSchema(fields).required).toEqual(["base_url"]);
    expect(checkParams(fields, {}).issues).toEqual([{ path: "base_url", message: "is required" }]);
  });

  test("locked: read-only in the admin UI", () => {
    expect(row(wick("locked")).locked).toBe(true);
    expect(row(wick()).locked).toBe(false);
  });

  test("regen: shows a regenerate button; the key must have a registered generator", async () => {
    const parts = { ...connectorParts, config: { HookSecret: wick("secret;regen") } };
    expect(() => defineConnector(parts)).toThrow(
      'Connector "tracker", field HookSecret: attribute "regen" has no generator "HookSecret"',
    );
    const definition = defineConnector({ ...parts, generators: { HookSecret: () => "fresh" } });
    const [group] = toSettings(definition.configFields, {}, { isSet: () => false });
    expect(group?.rows[0]?.regen).toBe(true);
    expect(await runGenerator(definition, "hook_secret")).toBe("fresh");
    await expect(runGenerator(definition, "other")).rejects.toThrow('no generator for "other"');
  });

  test("key=custom_name: overrides the derived key", () => {
    expect(read(wick("key=custom_name"))).toMatchObject({ name: "Value", key: "custom_name" });
    expect(row(wick("key=custom_name"), "x", "custom_name").value).toBe("x");
  });

  test("visible_when=field:value: shows the field only while another field equals the value", () => {
    const fields = readAll({
      AuthMode: wick("dropdown=basic|token;default=basic"),
      Token: wick("secret;required;visible_when=auth_mode:token"),
    });
    expect(fields[1]?.visibleWhen).toEqual({ field: "auth_mode", values: ["token"] });
    const [group] = toSettings(fields, {}, { isSet: () => false });
    expect(group?.rows[1]?.visibleWhen).toEqual({ field: "auth_mode", values: ["token"] });
    expect(keys(findMissing(fields, {}))).toEqual([]);
    expect(keys(findMissing(fields, { auth_mode: "token" }))).toEqual(["token"]);
  });

  test("visible_when=field:a|b: allows a set (OR)", () => {
    const fields = readAll({
      Mode: wick("dropdown=a|b|c"),
      Extra: wick("required;visible_when=Mode:a|b"),
    });
    expect(fields[1]?.visibleWhen).toEqual({ field: "mode", values: ["a", "b"] });
    expect(["a", "b", "c", ""].map((mode) => findMissing(fields, { mode }).length)).toEqual([
      1, 1, 0, 0,
    ]);
  });

  test("visible_when: presentation only, the value is still seeded and saved", () => {
    const fields = readAll({ Mode: wick(), Extra: wick("default=x;visible_when=mode:a") });
    expect(readConfig(fields, { mode: "z" })).toEqual({ mode: "z", extra: "x" });
    expect(readConfig(fields, { mode: "z", extra: "y" })).toEqual({ mode: "z", extra: "y" });
    expect(checkParams(fields, { extra: "y" }).values).toEqual({ extra: "y" });
  });

  test.each([
    "fixed",
    "expression",
  ] as const)("mode=fixed / mode=expression: locks the workflow editor's toggle (%s)", (mode) => {
    expect(row(wick(`mode=${mode}`)).mode).toBe(mode);
    expect(row(wick()).mode).toBeUndefined();
  });

  test("hidden: skips the field on the default settings page; still seeded and readable", () => {
    const fields = readAll({ Seen: wick(), Unseen: wick("hidden;default=x") });
    const [group] = toSettings(fields, {}, { isSet: () => false });
    expect(group?.rows.map(({ key }) => key)).toEqual(["seen"]);
    expect(readConfig(fields, {})).toEqual({ unseen: "x" });
  });

  test("group=Title: groups fields into a titled card, in first-seen order", () => {
    const groups = settings([wick("group=B"), wick("group=A"), wick("group=B")]);
    expect(layout(groups)).toEqual([
      ["B", "f0", "f2"],
      ["A", "f1"],
    ]);
    expect(groups[0]).toMatchObject({ title: "B", collapsed: false });
    expect(groups[0]).not.toHaveProperty("description");
  });

  test("group=Title|Description: only the first field of a group needs the description", () => {
    const groups = settings([wick("group=Net|How to reach it"), wick("group=Net")]);
    expect(layout(groups)).toEqual([["Net", "f0", "f1"]]);
    expect(groups[0]).toMatchObject({ description: "How to reach it", collapsed: false });
  });

  test("group=Title|Description|collapsed: only the first field needs the collapsed flag", () => {
    const groups = settings([wick("group=Net|How to reach it|collapsed"), wick("group=Net")]);
    expect(groups).toMatchObject([{ description: "How to reach it", collapsed: true }]);
  });

  test("group=Title||collapsed: collapses with no description", () => {
    const [group] = settings([wick("group=Net||collapsed")]);
    expect(group).toMatchObject({ title: "Net", collapsed: true });
    expect(group).not.toHaveProperty("description");
  });

  test("group: ungrouped fields fall into the card Configuration, rendered last", () => {
    const groups = settings([wick(), wick("group=Net"), wick(), wick("group=Configuration")]);
    expect(layout(groups)).toEqual([
      ["Net", "f1"],
      ["Configuration", "f0", "f2", "f3"],
    ]);
  });

  test("Any widget takes any modifier", () => {
    const widgets = ["textarea", "dropdown=1|2", "number", "secret", "color", "html=show_status"];
    for (const widget of [...widgets, "email", "url", "date", "datetime", "kvlist", "picker=p"]) {
      const field = read({
        base: "text",
        tag: `${widget};desc=d;required;locked;regen;key=k;mode=fixed;hidden;group=G`,
      });
      expect(field).toMatchObject({
        key: "k",
        description: "d",
        required: true,
        locked: true,
        regen: true,
        mode: "fixed",
        hidden: true,
        group: { title: "G", collapsed: false },
      });
    }
  });
});

describe("tag syntax", () => {
  test("Attributes are separated by semicolons; a bare key is a boolean flag", () => {
    expect(read(wick("url;required;desc=a=b"))).toMatchObject({
      widget: "url",
      required: true,
      description: "a=b",
    });
  });

  test("A field without a tag is a plain field of its base type", () => {
    expect(read(wick(""))).toEqual({
      name: "Value",
      key: "value",
      base: "text",
      widget: "text",
      secret: false,
      required: false,
      locked: false,
      regen: false,
      hidden: false,
    });
  });

  test("\\; is a literal semicolon and \\\\ a backslash", () => {
    expect(read(wick("desc=a\\;b\\\\;required"))).toMatchObject({
      description: "a;b\\",
      required: true,
    });
  });

  test("White space around an attribute is dropped", () => {
    const field = read(wick("url; required ;\n\tdesc= a b "));
    expect(field).toMatchObject({ widget: "url", required: true, description: " a b" });
  });
});

describe("key derivation", () => {
  test.each([
    ["InitText", "init_text"],
    ["APIBaseURL", "api_base_url"],
    ["MaxRetries", "max_retries"],
    ["BaseURL", "base_url"],
    ["DatasourceUID", "datasource_uid"],
    ["OrgID", "org_id"],
    ["UserIDs", "user_ids"],
    ["URLsByHost", "urls_by_host"],
    ["IAsset", "i_asset"],
    ["S3Bucket", "s3bucket"],
    ["HTTP2Server", "http2server"],
    ["base_url", "base_url"],
    ["baseUrl", "base_url"],
    ["A", "a"],
  ])("Field names are snake-cased: %s gives %s", (name, key) => {
    expect(readAll({ [name]: wick() })[0]).toMatchObject({ name, key });
  });
});

describe("html widget data-op convention", () => {
  test('data-op="__select" with data-arg stores the value; no op call', () => {
    expect(selectOp).toBe("__select");
    const operations = { __select: { description: "Takes it.", run: () => null } };
    expect(() => defineConnector({ ...connectorParts, config: {}, operations })).toThrow(
      'Connector "tracker", operation __select: its key is reserved for html widgets',
    );
    expect(stored(wick.int("html=show_orgs"), "42")).toBe("42");
  });

  test("data-op=<opKey> with data-arg=<value> runs the op with <value> as its argument", () => {
    const fields = readAll({ Arg: wick.int("required") });
    const params = toWidgetParams(fields, { arg: "7", inputs: {} });
    expect(checkParams(fields, params)).toEqual({ values: { arg: 7 }, issues: [] });
  });

  test("Any named element is collected as input.<name>: text, textarea, select send the value", () => {
    const fields = readAll({ InputDays: wick.int(), InputOrgName: wick() });
    const inputs = { days: "3", "Org Name": "acme", ignored: "x" };
    expect(toWidgetParams(fields, { inputs })).toEqual({ input_days: "3", input_org_name: "acme" });
  });

  test("A checkbox or radio is sent only when checked, so a boolean is read as key present", () => {
    const fields = readAll({
      InputDryRun: wick.bool(),
      InputForce: wick.bool(),
      Sure: wick.bool(),
    });
    expect(toWidgetParams(fields, { inputs: { dry_run: "on" } })).toEqual({
      input_dry_run: true,
      input_force: false,
    });
  });
});

describe("the widget inputs that version-1 plugins get, for operations that declare them", () => {
  test("Browser and element values fill inputs with the same name", () => {
    const fields = readAll({
      Browser: wick(),
      Days: wick.int(),
      Sure: wick.bool(),
      Off: wick.bool(),
    });
    const click = { browser: "7", arg: "7", inputs: { days: "3", sure: "on" } };
    expect(toWidgetParams(fields, click)).toEqual({ browser: "7", days: "3", sure: true });
  });

  test("An element can have the name of a prototype member", () => {
    const fields = readAll({ Constructor: wick(), InputValueOf: wick() });
    expect(toWidgetParams(fields, { inputs: {} })).toEqual({});
  });
});

const connectorParts = {
  key: "tracker",
  name: "Tracker",
  icon: "bug",
  tier: "plugin" as const,
  description: "Reads issues.",
  operations: {
    list_issues: { description: "Lists issues.", run: () => [] },
    show_status: {
      description: "Shows the status.",
      configOnly: true,
      run: () => ({ html: "<p>up</p>" }),
    },
  },
};

function readAll(record: FieldRecord): FieldSpec[] {
  return parseFields('Connector "tracker"', record);
}

function read(field: Field): FieldSpec {
  const [spec] = readAll({ Value: field });
  if (spec === undefined) throw new Error("No field was read.");
  return spec;
}

function keys(fields: FieldSpec[]): string[] {
  return fields.map(({ key }) => key);
}

function settings(fields: Field[], values: Record<string, string> = {}, set: string[] = []) {
  const names = fields.map((field, index): [string, Field] => [
    fields.length === 1 ? "Value" : `F${index}`,
    field,
  ]);
  const specs = readAll(Object.fromEntries(names));
  return toSettings(specs, values, { isSet: (key) => set.includes(key) });
}

function row(field: Field, value?: string, key = "value"): SettingsRow {
  const [group] = settings([field], value === undefined ? {} : { [key]: value });
  if (group?.rows[0] === undefined) throw new Error("No row was made.");
  return group.rows[0];
}

function layout(groups: SettingsGroup[]): string[][] {
  return groups.map(({ title, rows }) => [title, ...rows.map(({ key }) => key)]);
}

function property(field: Field): unknown {
  return Object(toInputSchema([read(field)]).properties).value;
}

function stored(field: Field, value: unknown): string | undefined {
  const result = toStoredText(read(field), value);
  return "text" in result ? result.text : undefined;
}

/** The value of a field whose stored text is `text`. */
function config(field: Field, text?: string): unknown {
  return readConfig([read(field)], text === undefined ? {} : { value: text }).value;
}

/** The parsed value of a param. */
function parse(field: Field, value: unknown): unknown {
  const { values, issues } = checkParams([read(field)], { value });
  expect(issues).toEqual([]);
  return values.value;
}

/** The message of the issue with a param. */
function problem(field: Field, value: unknown): string {
  const { values, issues } = checkParams([read(field)], { value });
  expect(values).toEqual({});
  return issues[0]?.message ?? "";
}
