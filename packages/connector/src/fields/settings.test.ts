import { describe, expect, test } from "bun:test";
import { type FieldRecord, wick } from "../wick.ts";
import { parseFields } from "./parse-fields.ts";
import { toSettings } from "./settings.ts";

describe("toSettings", () => {
  test("shows stored text, or else the default, and whether a value is stored", () => {
    const record = { BaseURL: wick("url"), Retries: wick.int("default=3"), Note: wick() };
    const [group] = settings(record, { base_url: "https://a.b" });
    expect(group?.rows.map(({ key, value, isSet }) => [key, value, isSet])).toEqual([
      ["base_url", "https://a.b", true],
      ["retries", "3", false],
      ["note", "", false],
    ]);
  });

  test("a row is plain data with only what its widget has", () => {
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

  test("a secret that was stored in clear by mistake is not shown either", () => {
    const groups = settings({ Token: wick("secret") }, { token: "hunter2" });
    expect(groups[0]?.rows[0]?.isSet).toBe(true);
    expect(JSON.stringify(groups)).not.toContain("hunter2");
  });

  test("a group takes its description from a hidden field, and vanishes when it has no others", () => {
    const record = {
      A: wick("hidden;group=Net|How to reach it|collapsed"),
      B: wick("group=Net"),
      C: wick("hidden;group=Gone"),
    };
    expect(settings(record, {})).toMatchObject([
      { title: "Net", description: "How to reach it", collapsed: true, rows: [{ key: "b" }] },
    ]);
  });

  test("without fields there are no cards", () => {
    expect(settings({}, {})).toEqual([]);
  });

  test("a field named like a member of every object has no value of its own", () => {
    const [group] = settings({ Constructor: wick() }, {});
    expect(group?.rows[0]?.value).toBe("");
  });
});

function settings(record: FieldRecord, stored: Record<string, string>) {
  const fields = parseFields('Connector "tracker"', record);
  return toSettings(fields, stored, { isSet: (key) => Object.hasOwn(stored, key) });
}
