import { checkParams } from "../../fields/check-field-params.ts";
import { readConfig } from "../../fields/config-values.ts";
import type { FieldSpec, ValuesByKey } from "../../fields/field-spec.ts";
import { findOwn, parseValue } from "../../fields/field-value.ts";
import { parseStored, readDefault } from "../../fields/stored-value.ts";
import { isJsonObject, parseJson } from "../../json.ts";
import type { AppVersion } from "../wire/handshake.ts";
import type { ExecuteRequest } from "../wire/wire-messages.ts";
import { ArgsError } from "./wire-error.ts";

/** The configuration by wire key, with typed values. */
export function readConfigValues(
  version: AppVersion,
  fields: readonly FieldSpec[],
  request: ExecuteRequest,
): ValuesByKey {
  return version === 1
    ? readConfig(fields, request.creds)
    : toTyped(fields, parseObject(request.configJson));
}

/** The params by wire key, with typed values. A host of version 1 sends unchecked texts. */
export function readParamValues(
  version: AppVersion,
  fields: readonly FieldSpec[],
  given: Record<string, unknown>,
): ValuesByKey {
  if (version === 2) {
    // A host that treats the manifest as version 1 speaks version 2 but does not apply defaults.
    return { ...readDefaults(fields), ...toTyped(fields, given) };
  }
  const { values, issues } = checkParams(fields, fromTexts(fields, given));
  if (issues.length === 0) return values;
  throw new ArgsError(issues.map(({ path, message }) => `${path} ${message}`).join("; "));
}

function readDefaults(fields: readonly FieldSpec[]): ValuesByKey {
  return Object.fromEntries(
    fields
      .filter((field) => field.default !== undefined)
      .map((field) => [field.key, readDefault(field)]),
  );
}

/** Parses a JSON object from the wire. Zero bytes mean an empty object. */
export function parseObject(bytes: Uint8Array): Record<string, unknown> {
  if (bytes.length === 0) return {};
  let value: unknown;
  try {
    value = parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8"));
  } catch (cause) {
    throw new ArgsError("The request is not valid JSON", { cause });
  }
  if (!isJsonObject(value)) throw new ArgsError("The request is not a JSON object");
  return value;
}

/**
 * JSON has one kind of number, but a field's type may have bigints. The host has checked the
 * values.
 */
function toTyped(fields: readonly FieldSpec[], given: Record<string, unknown>): ValuesByKey {
  const values: [string, unknown][] = [];
  for (const field of fields) {
    const raw = findOwn(given, field.key);
    if (raw === undefined) continue;
    const parsed = parseValue(field, raw);
    values.push([field.key, "value" in parsed ? parsed.value : raw]);
  }
  return Object.fromEntries(values);
}

/** In version 1, the value of a `json` field is its JSON text. */
function fromTexts(
  fields: readonly FieldSpec[],
  given: Record<string, unknown>,
): Record<string, unknown> {
  const byKey = new Map(fields.map((field) => [field.key, field]));
  return Object.fromEntries(
    Object.entries(given).map(([key, raw]) => {
      const field = byKey.get(key);
      if (field?.base !== "json" || typeof raw !== "string" || raw === "") return [key, raw];
      const parsed = parseStored(field, raw);
      return [key, "value" in parsed ? parsed.value : raw];
    }),
  );
}
