import { type FieldSpec, type SettingsGroup, type SettingsRow, toSettings } from "@hub/connector";
import type { RowSetting } from "@hub/contract/row-settings.ts";

/** Inputs as the cards of a form; their values are the defaults. The default of a secret is not shown. */
export function toInputGroups(fields: readonly FieldSpec[]) {
  return toSettings(fields, {}, { isSet: () => false }).map(toFieldGroup);
}

/** A card of a form. */
export function toFieldGroup({ title, description = "", collapsed, rows }: SettingsGroup) {
  return { title, description, collapsed, fields: rows.map(toSetting) };
}

function toSetting(row: SettingsRow): RowSetting {
  const { key, name, widget, base, isSet, required, secret, locked, regen } = row;
  return {
    key,
    name,
    widget,
    base,
    value: row.value || null,
    is_set: isSet,
    description: row.description ?? "",
    options: row.options ?? [],
    columns: row.columns ?? [],
    source: row.source ?? null,
    html_op: row.htmlOp ?? null,
    required,
    secret,
    locked,
    regen,
    mode: row.mode ?? null,
    visible_when: row.visibleWhen ?? null,
  };
}
