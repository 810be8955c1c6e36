import type { CleanDiscovery } from "../../connectors/by-row/clean-discovery.ts";
import { cleanSystem, type DescribedSystem } from "../../connectors/by-row/described-system.ts";
import type { RegisteredConnector } from "../../connectors/connector-port.ts";
import { toRowConfig } from "../../connectors/rows/open-row-config.ts";
import type { Row } from "../../connectors/rows/row-directory.ts";
import { HubError } from "../../errors.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";
import type { ExecuteDeps } from "../calls/execute-deps.ts";
import { runUntilDeadline } from "../calls/run-in-connector.ts";
import { toConnectorCall } from "../calls/to-connector-call.ts";
import { maskRowSecrets } from "../masking/mask-row.ts";
import type { CallContext, ExploreRequest } from "../operations.ts";
import { recordCall } from "../records/record-call.ts";
import { askForOperations, discoverKey, hideSecrets, toRecorded } from "./discover-operations.ts";

/** What an outside system offers, before there is a row of it. */
export type ExploredSystem = CleanDiscovery & { system: DescribedSystem | null };

/** An admin waits for the answer on a page. */
const timeoutMs = 30_000;

/**
 * Asks an outside system for its operations as a row with these values would. Nothing is stored but the
 * record of the call, which has the address without its query.
 */
export async function exploreSystem(
  deps: ExecuteDeps,
  ctx: CallContext,
  { connector: key, texts, document }: ExploreRequest,
): Promise<ExploredSystem> {
  const connector = deps.registry.find(key);
  if (connector?.discover === undefined) {
    throw new HubError("not_found", `There is no connector "${key}" that discovers operations.`);
  }
  let found: ExploredSystem = { operations: [], leftOut: [], system: null };
  const request = {
    connector: key,
    ...toRecordedAddress(texts),
    ...(document !== undefined && { document_chars: document.length }),
  };
  const description = { connectorId: null, rowLabel: null, operationKey: discoverKey, request };
  await recordCall(deps, ctx, description, async (recording) => {
    deps.space.requireSpace();
    const row = toDraftRow(connector, texts);
    maskRowSecrets(recording.mask, row);
    recording.describe({ rowLabel: null, connectorKey: key });
    await recording.begin();
    const limits = { name: "discovery", timeoutMs };
    return await runUntilDeadline(deps, { ctx, recording }, limits, async (lifetime) => {
      let system: DescribedSystem | null = null;
      const run = { ctx, recording, row, connector };
      const call = toConnectorCall(deps, run, lifetime, () => {});
      const discovered = await askForOperations(connector, call, recording.mask, {
        document,
        describe: (given) => {
          system = hideSecrets(recording.mask, cleanSystem(given));
        },
      });
      found = { ...discovered, system };
      return toRecorded(discovered);
    });
  });
  return found;
}

/** A row that is not stored: no other call can name it. */
function toDraftRow(connector: RegisteredConnector, texts: ReadonlyMap<string, string>): Row {
  const config = toRowConfig(connector.configFields, Object.fromEntries(texts));
  const record: RowRecord = {
    id: crypto.randomUUID(),
    connectorKey: connector.key,
    owner: null,
    label: connector.name,
    description: "",
    disabled: false,
    tests: "admins",
    access: "shared",
    tags: [],
    values: [],
    operationStates: {},
    slug: null,
    version: 0,
    createdAt: 0,
    updatedAt: 0,
    operationsId: null,
    connectionId: null,
  };
  return {
    ...record,
    record,
    operations: new Map(),
    config: () => config,
    openPersonal: () => config,
  };
}

/** A query may have a secret. */
function toRecordedAddress(texts: ReadonlyMap<string, string>): { address?: string } {
  const url = URL.parse(texts.get("document_url") ?? texts.get("url") ?? "");
  return url === null ? {} : { address: `${url.origin}${url.pathname}` };
}
