import type { Row } from "../../connectors/rows/row-directory.ts";
import { HubError } from "../../errors.ts";
import { secretsMax } from "../../lib/limits/answer-limits.ts";
import type { Mask } from "../../secrets/masks/mask.ts";
import type { RowSecrets } from "../../secrets/masks/row-secrets.ts";
import { noRowId } from "../../secrets/value-tokens/no-row-id.ts";

/**
 * Binds the call to its row and adds the row's secrets. A refused call is recorded too, and its
 * params may quote the secrets.
 */
export function maskRowSecrets(mask: Pick<Mask, "bindRow" | "addRowSecrets">, row: Row): void {
  // Attack: a token of such a secret is kept, and used when its holder may not use the secret any more, or the row
  // has another address.
  mask.bindRow(row.isManaged === true ? noRowId : row.id);
  const secrets = findRowSecrets(row);
  if (secrets === null) return;
  if (secrets.texts.length > secretsMax) throw refuseRow(row, secrets.texts.length);
  mask.addRowSecrets(secrets);
}

function refuseRow({ label }: Row, count: number): HubError {
  return new HubError(
    "needs_setup",
    `"${label}" has ${count} secret values, and a call can use at most ${secretsMax}. Ask an admin to split the row into several rows.`,
  );
}

/** The secrets of a row; null if they cannot be read. */
export function findRowSecrets(row: Row): RowSecrets | null {
  const own = findOwnSecrets(row);
  return row.references === undefined ? own : row.references.addTo(own);
}

function findOwnSecrets(row: Row): RowSecrets | null {
  try {
    return row.config().secrets;
  } catch {
    // If the call needs the secrets, it fails later with the reason.
    return null;
  }
}
