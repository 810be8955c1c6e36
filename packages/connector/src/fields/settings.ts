import type { FieldSpec, FieldWidget, VisibleWhen } from "./field-spec.ts";

/** One field on a settings page. */
export type SettingsRow = {
  key: string;
  name: string;
  widget: FieldWidget;
  /** Stored text, or else the default. Absent for a secret: nothing of it leaves the server. */
  value?: string;
  /** Whether a value is stored. */
  isSet: boolean;
  description?: string;
  options?: string[];
  columns?: string[];
  source?: string;
  htmlOp?: string;
  required: boolean;
  secret: boolean;
  locked: boolean;
  regen: boolean;
  visibleWhen?: VisibleWhen;
  mode?: "fixed" | "expression";
};

/** A titled card of rows. */
export type SettingsGroup = {
  title: string;
  description?: string;
  collapsed: boolean;
  rows: SettingsRow[];
};

export function toSettings(
  _fields: readonly FieldSpec[],
  _stored: Readonly<Record<string, string>>,
  _options: { isSet(key: string): boolean },
): SettingsGroup[] {
  throw new Error("Not written yet.");
}
