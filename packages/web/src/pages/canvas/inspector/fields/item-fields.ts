import { commonFields } from "../common-fields.ts";
import type { ItemField } from "../inputs/node-field-spec.ts";
import { nodeFields } from "./node-fields.ts";
import { triggerFields } from "./trigger-fields.ts";

/** The fields of a type. An unknown type has none. */
export function listFieldsOf(type: string, isTrigger: boolean): readonly ItemField[] {
  const fields: Readonly<Record<string, readonly ItemField[]>> = isTrigger
    ? triggerFields
    : nodeFields;
  const own = Object.hasOwn(fields, type) ? (fields[type] ?? []) : [];
  return isTrigger ? own : [...own, ...commonFields];
}
