import { parseExactJson } from "../../../../api/exact-json.ts";
import type { FormField } from "../../../../form/field-form.ts";

/** How values of a kind are written in an input. A text that gives no value is a problem. */
export type TextForm = {
  toText: (value: unknown) => string;
  fromText: (text: string) => { value: unknown } | { problem: string };
};

export const hasTemplate = (value: unknown): boolean =>
  typeof value === "string" && value.includes("{{");

/** A text as it is. An empty one leaves the field out. */
export const textForm: TextForm = {
  toText: (value) => (typeof value === "string" ? value : value === undefined ? "" : toJson(value)),
  fromText: (text) => ({ value: text === "" ? undefined : text }),
};

/** A text that is written even if it is empty. */
export const requiredTextForm: TextForm = { ...textForm, fromText: (text) => ({ value: text }) };

export const numberForm: TextForm = {
  toText: textForm.toText,
  fromText: (text) => ({ value: toNumber(text.trim()) }),
};

/** Numbers whose digits a number keeps are numbers. Other texts stay, and the hub says what is wrong. */
function toNumber(text: string): unknown {
  if (text === "") return undefined;
  return /^-?\d{1,15}(\.\d{1,9})?$/.test(text) ? Number(text) : text;
}

export const toggleForm: TextForm = {
  toText: (value) => (value === undefined ? "" : String(value)),
  fromText: (text) => ({ value: text === "" ? undefined : text === "true" }),
};

/** Any JSON value. A text without quotes that is one template is that template. */
export const jsonForm: TextForm = {
  toText: (value) =>
    hasTemplate(value) ? String(value) : value === undefined ? "" : toJson(value),
  fromText(text) {
    const trimmed = text.trim();
    if (trimmed === "") return { value: undefined };
    if (/^\{\{[\s\S]*\}\}$/.test(trimmed)) return { value: trimmed };
    try {
      return { value: parseExactJson(trimmed) };
    } catch {
      const advice = hasTemplate(trimmed) ? ' Write templates in quotes: "{{…}}".' : "";
      return { problem: `This is not valid JSON, so it is not saved.${advice}` };
    }
  },
};

/** Texts by name, as the rows of a table. */
export const textsForm: TextForm = {
  toText: (value) => {
    if (typeof value !== "object" || value === null) return "[]";
    return JSON.stringify(
      Object.entries(value).map(([name, one]) => ({ name, value: textForm.toText(one) })),
    );
  },
  fromText(text) {
    let rows: unknown;
    try {
      rows = JSON.parse(text === "" ? "[]" : text);
    } catch {
      return { problem: "This is not a table." };
    }
    const named = (Array.isArray(rows) ? rows : []).filter((row) => Object(row).name);
    if (named.length === 0) return { value: undefined };
    return {
      value: Object.fromEntries(named.map((row) => [String(row.name), String(row.value ?? "")])),
    };
  },
};

/** The form of an operation's input, by its base. */
export function toParamForm(base: FormField["base"]): TextForm {
  if (base === "json") return jsonForm;
  if (base === "boolean") return toggleForm;
  return base === "integer" || base === "float" ? numberForm : textForm;
}

function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? "";
}
