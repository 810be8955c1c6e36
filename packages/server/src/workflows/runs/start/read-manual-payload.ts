import { checkParams, type FieldSpec, type Json, parseFields, toInputSchema } from "@hub/connector";
import type { ManualInput, TriggerOf } from "@hub/contract/workflow-trigger.ts";
import { HubError, toInvalidParams } from "../../../errors.ts";

type Manual = Pick<TriggerOf<"manual">, "id" | "input">;

/** The payload of a manual run: the values of its fields, or any object if there are no fields. */
export function readManualPayload({ id, input }: Manual, payload: unknown): Json {
  const given = payload ?? {};
  if (typeof given !== "object" || Array.isArray(given)) {
    throw new HubError("invalid_params", "The payload of a run is an object. Send one.");
  }
  if (input.length === 0) return given;
  // Safe: it is an object and no list.
  const { values, issues } = checkParams(toFields({ id, input }), given as Record<string, unknown>);
  if (issues.length > 0) throw toInvalidParams(issues);
  return values;
}

/** The fields of the form for a manual run. */
export function toFields({ id, input }: Manual): FieldSpec[] {
  return parseFields(`manual trigger ${id}`, Object.fromEntries(input.map(toField)));
}

/** The JSON Schema of the payload. */
export function toPayloadSchema(trigger: Manual) {
  if (trigger.input.length === 0) return { type: "object" };
  return toInputSchema(toFields(trigger));
}

function toField({ name, type, tag }: ManualInput) {
  return [name, { base: type, tag }] as const;
}
