import type { ConnectorRegistry } from "../../connectors/registry.ts";
import type { Transaction } from "../../store/database/database.ts";
import { listSlugs } from "../../store/rows/rows-table.ts";

/** A free slug for a new row of a chat connector, made from its label. Null for other connectors. */
export async function chooseSlug(
  trx: Transaction,
  registry: ConnectorRegistry,
  { connectorKey, label }: { connectorKey: string; label: string },
): Promise<string | null> {
  if (registry.find(connectorKey)?.isChat !== true) return null;
  const wanted = toSlug(label) || toSlug(connectorKey) || "channel";
  const taken = new Set(await listSlugs(trx, wanted));
  if (!taken.has(wanted)) return wanted;
  let number = 2;
  while (taken.has(`${wanted}-${number}`)) number += 1;
  return `${wanted}-${number}`;
}

/** Leaves characters for a number. */
const madeCharsMax = 48;

function toSlug(text: string): string {
  const plain = text.normalize("NFKD").replace(/\p{Mark}+/gu, "");
  const slug = plain.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  return slug.replace(/^-/, "").slice(0, madeCharsMax).replace(/-$/, "");
}
