import type { Row } from "../../connectors/rows/row-directory.ts";

/** The secrets of a row. Those that cannot be decrypted are not known, and no call can use them. */
export function readSecrets(row: Row): readonly string[] {
  try {
    return row.config().secrets.texts;
  } catch {
    return [];
  }
}
