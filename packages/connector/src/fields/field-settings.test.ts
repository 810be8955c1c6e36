import { describe, expect, test } from "bun:test";
import { type FieldRecord, wick } from "../field-tags.ts";
import { toSettings } from "./field-settings.ts";
import { parseFields } from "./parse-fields.ts";

describe("toSettings", () => {
  test("A setting has its stored text or the default, and says whether a value is stored", () => {
    const record = { BaseURL: wick("url"), Retries: wick.int("default=3"), Note: wick() };
    const [group] = settings(record, { base_url: "https://a.b" });
    expect(group?.rows.map(({ key, value, isSet }) => [key, value, isSet])).toEqual([
      ["base_url", "https://a.b", true],
      ["retries", "3", false],
      ["note", "", false],
    ]);
  });

  test("A setting is plain data with only the members of its widget", () => {
    const [group] = settings({ BaseURL: wick("url;required;desc=Where") }, {});
    expect(group).toEqual({
      title: "Configuration",
      collapsed: false,
      rows: [
        {
          key: "base_url",
          name: "BaseURL",
          widget: "url",
          base: "text",
          value: "",
          isSet: false,
          description: "Where",
          required: true,
          secret: false,
          locked: false,
          regen: false,
        },
      ],
    });
  });

  test("A secret that was stored in plaintext by mistake is not shown", () => {
    const groups = settings({ Token: wick("secret") }, { token: "hunter2" });
    expect(groups[0]?.rows[0]?.isSet).toBe(true);
    expect(JSON.stringify(groups)).not.toContain("hunter2");
  });

  test("A group takes its description from a hidden field, and is omitted without visible fields", () => {
    const record = {
      A: wick("hidden;group=Net|How to reach it|collapsed"),
      B: wick("group=Net"),
      C: wick("hidden;group=Gone"),
    };
    expect(settings(record, {})).toMatchObject([
      { title: "Net", description: "How to reach it", collapsed: true, rows: [{ key: "b" }] },
    ]);
  });

  test("Without fields there are no cards", () => {
    expect(settings({}, {})).toEqual([]);
  });

  test("A field with the name of a prototype member has no value", () => {
    const [group] = settings({ Constructor: wick() }, {});
    expect(group?.rows[0]?.value).toBe("");
  });
});

function settings(record: FieldRecord, stored: Record<string, string>) {
  const fields = parseFields('Connector "tracker"', record);
  return toSettings(fields, stored, { isSet: (key) => Object.hasOwn(stored, key) });
}
