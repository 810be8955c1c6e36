import { defineConnector } from "@hub/connector";
import { createOpenApiConnector } from "../../../packages/server/src/bridges/openapi/openapi-connector.ts";
import { readAtOnce } from "../../../packages/server/src/bridges/openapi/testing/read-at-once.ts";
import { compareDiscovery } from "../../../packages/server/src/connectors/by-row/compare-discovery.ts";
import { createLocalConnector } from "../../../packages/server/src/connectors/local-connector.ts";
import { systemTimers } from "../../../packages/server/src/lib/time/timers.ts";
import {
  openTestOperations,
  toTestCall,
} from "../../../packages/server/src/operations/testing/open-test-operations.ts";
import { transaction } from "../../../packages/server/src/store/database/database.ts";
import { replaceRowOperations } from "../../../packages/server/src/store/rows/row-operations-table.ts";
import { insertRow } from "../../../packages/server/src/store/rows/rows-table.ts";
import { type AskHub, createAsk } from "./ask-hub.ts";
import { toRowId } from "./row-id.ts";

/** Answers are not cut. */
const resultBytesMax = 64 * 1024 * 1024;

/** A hub in this process with one `openapi` row, whose operations are all approved. */
export type DocumentHub = {
  ask: AskHub;
  /** Of the operations, in the order of the document. */
  names: string[];
  close(): Promise<void>;
};

export async function openDocumentHub(document: string, label: string): Promise<DocumentHub> {
  const hub = await openTestOperations(unused, { resultBytesMax });
  hub.registry.register(
    createLocalConnector(
      createOpenApiConnector({ timers: systemTimers, openWorker: readAtOnce }),
      ({ memory, rowId }) => ({ memory, rowId }),
    ),
  );
  const address = "https://api.github.com";
  const rowId = toRowId(0);
  const values = { document_url: `${address}/openapi.json`, base_url: address };
  await insertRow(hub.store.db, {
    id: rowId,
    connectorKey: "openapi",
    label,
    description: "",
    tags: ["everyone"],
    values: Object.entries(values).map(([key, value]) => ({ key, value, sealed: null })),
    createdAt: Date.now(),
  });
  const ctx = toTestCall([], { caller: { role: "admin" } });
  const found = await hub.operations.rows.discover(ctx, { rowId, document });
  const { operations } = compareDiscovery([], found, { at: 1, isTrusted: true });
  const stored = { operationsId: crypto.randomUUID(), before: [], operations };
  await transaction(hub.store.db, (trx) => replaceRowOperations(trx, rowId, stored, 2));
  await hub.operations.catalogue.prepareSearch();
  return {
    ask: createAsk(hub.operations, toTestCall([])),
    names: operations.map(({ definition }) => definition.name),
    close: hub.close,
  };
}

/** A hub has at least one connector of its own. It has no row here. */
const unused = defineConnector({
  key: "unused",
  name: "Unused",
  icon: "plug",
  tier: "builtin",
  description: "Has no row.",
  config: {},
  operations: { run: { description: "Does nothing.", run: () => ({}) } },
});
