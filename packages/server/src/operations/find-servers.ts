import type { FoundServer } from "../connectors/connector-port.ts";
import { HubError } from "../errors.ts";
import { askRow, type FoundRow } from "./ask-row.ts";
import type { ExecuteDeps } from "./execute-operation.ts";
import type { CallContext, DiscoverRequest } from "./operations.ts";

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
      let found: FoundServer[] = [];
      const onServers = (servers: FoundServer[]) => {
        found = servers;
      };
      const given = { ...call, onServers, ...(document !== undefined && { document }) };
      await connector.discover?.(given);
      return found;
    },
  });
}

function checkNamesServers({ row, connector }: FoundRow): void {
  if (connector.namesServers === true) return;
  throw new HubError("bad_request", `"${row.label}" has no document that names servers.`);
}
