import type { FieldSpec } from "@hub/connector";
import { isReference, openStored } from "../../../secrets/at-rest/at-rest.ts";
import type { SecretReferences } from "../../../secrets/at-rest/secret-references.ts";
import type { KeyRing } from "../../../secrets/keys/key-ring.ts";
import { listCredentialParts } from "../../../secrets/needles/credential-parts.ts";
import { isWeakSecret } from "../../../secrets/needles/estimate-strength.ts";
import type { RowRecord } from "../../../store/rows/row-record.ts";
import type { FieldTexts } from "../row-values.ts";

type WeakFields = { weak?: string[] };

/** The secret fields whose new values callers of the row could guess. Of references, the value is not known here. */
export function findWeakTexts(
  fields: readonly FieldSpec[],
  texts: FieldTexts,
  references?: ReadonlySet<string>,
): WeakFields {
  const weak = fields
    .filter(({ key, secret }) => secret && references?.has(key) !== true)
    .filter(({ key }) => hasWeakPart(texts.get(key) ?? ""))
    .map(({ key }) => key);
  return weak.length > 0 ? { weak } : {};
}

/** The same for the stored values of a row. A value that cannot be read now is left out. */
export function findWeakStored(
  { ring, references }: { ring: KeyRing; references: SecretReferences },
  row: RowRecord,
): WeakFields {
  const weak = row.values.flatMap(({ key, sealed }) => {
    if (sealed === null) return [];
    try {
      const { text } = openStored(ring, { table: "row_values", row: row.id, field: key }, sealed);
      return hasWeakPart(isReference(sealed) ? references.read(text) : text) ? [key] : [];
    } catch {
      return [];
    }
  });
  return weak.length > 0 ? { weak: weak.sort() } : {};
}

/** Its parts that are credentials by themselves are masked, too. */
function hasWeakPart(text: string): boolean {
  return [text, ...listCredentialParts(text)].some(isWeakSecret);
}
