import type { Caller } from "../../caller.ts";
import { findOwnKey } from "../../connectors/kept-keys.ts";
import type { ConnectorRegistry } from "../../connectors/registry.ts";
import type { Directory, Row } from "../../connectors/rows/row-directory.ts";
import { seededKeys } from "../../connectors/rows/seed-own-rows.ts";
import { cutLine } from "../../lib/text/cut-line.ts";
import type { World } from "../admission/call.ts";
import { isListed } from "../admission/list-form.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { toToolId } from "./tool-id.ts";

/** Labels of rows, for models that begin a session. */
export type RowNames = {
  /** Each once: one line of at most 40 characters, without invisible ones. */
  labels: readonly string[];
  /** Whether the caller has rows with other labels. */
  hasMore: boolean;
  /** The tool id of `read_script`; null if the caller cannot call it. */
  readScript: string | null;
};

type NamedWorld = World & { registry: ConnectorRegistry; directory: Directory };

const labelsMax = 30;
const labelCharsMax = 40;
/** As estimated. No list of labels has more than 600 tokens. */
const tokensMax = 380;

/**
 * Names rows that the caller can use, in the order of all lists. It names what an admin has connected, the
 * sample row too, and neither the rows of the hub's own connectors nor workflows: their names are no news, or
 * are written by users. It ends with the first label that does not fit, so most callers cost a part of the rows.
 */
export function nameRows(world: NamedWorld, caller: Caller): RowNames {
  const { registry, directory } = world;
  const own = new Set(seededKeys.map((key) => findOwnKey(registry, key)));
  const readScript = findReadScript(world, caller);
  const labels = new Set<string>();
  let tokens = 0;
  for (const row of directory.rows) {
    if (own.has(row.connectorKey) || !isUsable(world, caller, row)) continue;
    const label = cutLine(row.label, labelCharsMax);
    if (label === "" || labels.has(label)) continue;
    tokens += estimateTokens(label);
    if (labels.size === labelsMax || tokens > tokensMax) {
      return { labels: [...labels], hasMore: true, readScript };
    }
    labels.add(label);
  }
  return { labels: [...labels], hasMore: false, readScript };
}

function findReadScript(world: NamedWorld, caller: Caller): string | null {
  const key = findOwnKey(world.registry, "hub");
  const connector = key === null ? null : world.registry.find(key);
  if (connector === null) return null;
  for (const row of world.directory.rows) {
    if (row.connectorKey !== key) continue;
    const operation = row.operations.get("read_script");
    const isOffered = (of: object) =>
      isListed(world, { path: "client", caller, row, connector, ...of });
    if (operation !== undefined && isOffered({}) && isOffered({ operation })) {
      return toToolId(row.id, operation.key);
    }
  }
  return null;
}

/** Whether the caller can call an operation of the row, which is of an admin's making. */
function isUsable(world: NamedWorld, caller: Caller, row: Row) {
  const connector = world.registry.find(row.connectorKey);
  if (connector === null || connector.madeFrom !== undefined) return false;
  const of = { path: "client", caller, row, connector } as const;
  if (!isListed(world, of)) return false;
  for (const operation of row.operations.values()) {
    if (isListed(world, { ...of, operation })) return true;
  }
  return false;
}
