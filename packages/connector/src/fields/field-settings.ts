import type { FieldBase, FieldSpec, FieldWidget, VisibleWhen } from "./field-spec.ts";
import { findOwn } from "./field-value.ts";

/** A field on a settings page. */
export type SettingsRow = {
  key: string;
  name: string;
  widget: FieldWidget;
  base: FieldBase;
  /**
   * The stored text or the default. Absent for a secret, because secrets never leave the server.
   */
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

/** The card of fields without a group. */
const ungroupedTitle = "Configuration";

/**
 * The cards of a settings page, in first-seen order. Fields without a group are in the card
 * `Configuration` at the end. `stored` is text by wire key without secrets; `isSet` says which
 * secrets are set. Hidden fields are omitted, and so is a card with only hidden fields.
 */
export function toSettings(
  fields: readonly FieldSpec[],
  stored: Readonly<Record<string, string>>,
  options: { isSet(key: string): boolean },
): SettingsGroup[] {
  const groups = new Map<string, SettingsGroup>();
  const ungrouped: SettingsGroup = { title: ungroupedTitle, collapsed: false, rows: [] };
  for (const field of fields) {
    const group = joinGroup(groups, ungrouped, field);
    if (!field.hidden) group.rows.push(toRow(field, stored, options.isSet(field.key)));
  }
  return [...groups.values(), ungrouped].filter((group) => group.rows.length > 0);
}

function joinGroup(
  groups: Map<string, SettingsGroup>,
  ungrouped: SettingsGroup,
  { group }: FieldSpec,
): SettingsGroup {
  if (group === undefined) return ungrouped;
  const card =
    group.title === ungroupedTitle
      ? ungrouped
      : (groups.get(group.title) ?? { title: group.title, collapsed: false, rows: [] });
  if (card !== ungrouped) groups.set(group.title, card);
  if (card.description === undefined && group.description !== undefined) {
    card.description = group.description;
  }
  card.collapsed ||= group.collapsed;
  return card;
}

function toRow(
  field: FieldSpec,
  stored: Readonly<Record<string, string>>,
  isSet: boolean,
): SettingsRow {
  const { key, name, widget, base, required, secret, locked, regen } = field;
  const { description, options, columns, source, htmlOp, visibleWhen, mode } = field;
  return {
    key,
    name,
    widget,
    base,
    ...(!secret && { value: findText(field, stored) }),
    isSet,
    ...(description !== undefined && { description }),
    ...(options !== undefined && { options }),
    ...(columns !== undefined && { columns }),
    ...(source !== undefined && { source }),
    ...(htmlOp !== undefined && { htmlOp }),
    required,
    secret,
    locked,
    regen,
    ...(visibleWhen !== undefined && { visibleWhen }),
    ...(mode !== undefined && { mode }),
  };
}

function findText(field: FieldSpec, stored: Readonly<Record<string, string>>): string {
  const text = findOwn(stored, field.key);
  return typeof text === "string" && text !== "" ? text : (field.default ?? "");
}
