import type { FieldSpec } from "@hub/connector";
import type { HubFileChange, HubFileRow } from "@hub/contract/hub-file.ts";
import type { RegisteredConnector } from "../../connectors/connector-port.ts";
import { openStored } from "../../secrets/at-rest/at-rest.ts";
import { isReferenceText } from "../../secrets/at-rest/secret-references.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";
import type { ApplyContext } from "./apply-context.ts";
import { kept } from "./export-hub.ts";

/** The values of the file, with secrets in the place of their references; without what is kept. */
export function readValues(
  { secrets }: Pick<ApplyContext, "secrets">,
  { values = {} }: HubFileRow,
  { configFields }: RegisteredConnector,
): [string, unknown][] {
  const isSecret = new Set(configFields.filter(({ secret }) => secret).map(({ key }) => key));
  return Object.entries(values).flatMap(([key, value]): [string, unknown][] => {
    if (!isSecret.has(key)) return [[key, value]];
    if (value === kept) return [];
    // A reference that stays has no secret here.
    return [[key, secrets.get(String(value)) ?? value]];
  });
}

/** The secret fields that refer to secrets outside the hub, by what stands in the file. */
export function findReferences(
  { configFields }: RegisteredConnector,
  { values = {} }: HubFileRow,
): ReadonlySet<string> {
  const found = configFields.filter(
    ({ key, secret }) => secret && isReferenceText(String(values[key])),
  );
  return new Set(found.map(({ key }) => key));
}

type Wanted = { key: string; text: string | undefined; isReference: boolean };

/** Whether a field has this text, "" if it has none. A secret that cannot be opened differs from every text. */
export function isStored(
  { keys }: ApplyContext,
  { id, values }: RowRecord,
  { key, text, isReference }: Wanted,
): boolean {
  const stored = values.find((value) => value.key === key);
  if (stored === undefined || stored.sealed === null) return text === (stored?.value ?? "");
  try {
    const location = { table: "row_values", row: id, field: key };
    const opened = openStored(keys, location, stored.sealed);
    return opened.text === text && (opened.kind === "reference") === isReference;
  } catch {
    return false;
  }
}

export function toFields(
  { configFields }: { configFields: readonly FieldSpec[] },
  values: readonly [string, unknown][],
  present?: RowRecord,
): HubFileChange["fields"] {
  const isSecret = new Set(configFields.filter(({ secret }) => secret).map(({ key }) => key));
  return values.map(([key, to]) => {
    const field = `values.${key}`;
    if (isSecret.has(key)) return { field, from: null, to: null, secret: true };
    const from = present?.values.find((value) => value.key === key)?.value ?? null;
    return { field, from, to, secret: false };
  });
}
