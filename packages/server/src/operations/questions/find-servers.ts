import type { FoundServer } from "@hub/connector";
import { HubError } from "../../errors.ts";
import type { ExecuteDeps } from "../calls/execute-deps.ts";
import type { CallContext, DiscoverRequest } from "../operations.ts";
import { askRow, type FoundRow } from "./ask-row.ts";

/** The operation key in the audit row. Connectors cannot define an operation with this key. */
const serversKey = "hub.servers";

/** Asks for the servers that the document of a row names. The row may still lack its own. */
export async function findServers(
  deps: ExecuteDeps,
  ctx: CallContext,
  { rowId, document }: DiscoverRequest,
): Promise<FoundServer[]> {
  return await askRow(deps, ctx, rowId, {
    name: "search for servers",
    key: serversKey,
    request: document === undefined ? {} : { document_chars: document.length },
    check: checkNamesServers,
    async ask(connector, call) {
      // Checked above.
      const given = { ...call, ...(document !== undefined && { document }) };
      return (await connector.findServers?.(given)) ?? [];
    },
  });
}

function checkNamesServers({ call: { row, connector } }: FoundRow): void {
  if (connector.findServers !== undefined) return;
  throw new HubError("bad_request", `"${row.label}" has no document that names servers.`);
}
