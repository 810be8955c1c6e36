import {
  type CleanDiscovery,
  cleanDiscovery,
  operationsMax,
} from "../../connectors/by-row/clean-discovery.ts";
import type {
  ConnectorCall,
  DiscoverCall,
  RegisteredConnector,
} from "../../connectors/connector-port.ts";
import { HubError } from "../../errors.ts";
import { mapJson } from "../../secrets/masks/map-json.ts";
import type { Mask } from "../../secrets/masks/mask.ts";
import { countLeftOut, type LeftOutOperation } from "../../store/rows/row-discoveries-table.ts";
import { admit } from "../admission/admit.ts";
import type { ExecuteDeps } from "../calls/execute-deps.ts";
import type { CallContext, DiscoverRequest } from "../operations.ts";
import { askRow, type FoundRow } from "./ask-row.ts";

/** The operation key in the audit row. Connectors cannot define an operation with this key. */
export const discoverKey = "hub.discover";

/** As many as a row may have. */
const leftOutMax = operationsMax;

/**
 * Asks a row's outside system for its operations. The audit row has their number alone: they are
 * stored elsewhere, and may be megabytes.
 */
export async function discover(
  deps: ExecuteDeps,
  ctx: CallContext,
  { rowId, document }: DiscoverRequest,
): Promise<CleanDiscovery> {
  let found: CleanDiscovery = { operations: [], leftOut: [] };
  await askRow(deps, ctx, rowId, {
    name: "discovery",
    key: discoverKey,
    request: document === undefined ? {} : { document_chars: document.length },
    check: checkDiscoverable,
    async ask(connector, call, mask) {
      found = await askForOperations(connector, call, mask, { document });
      return toRecorded(found);
    },
  });
  return found;
}

type Asked = { document: string | undefined; describe?: DiscoverCall["describe"] };

/** The operations that a connector discovers, cleaned and without secrets. */
export async function askForOperations(
  connector: RegisteredConnector,
  call: ConnectorCall,
  mask: Mask,
  { document, describe }: Asked,
): Promise<CleanDiscovery> {
  const leftOut: LeftOutOperation[] = [];
  let rest = 0;
  const operations = await connector.discover?.({
    ...call,
    leaveOut: (sourceName: string, reason: string, count = 1) => {
      if (leftOut.length >= leftOutMax) rest += count;
      else {
        const one = hideSecrets(mask, { sourceName, reason });
        leftOut.push(count === 1 ? one : { ...one, count });
      }
    },
    ...(document !== undefined && { document }),
    ...(describe !== undefined && { describe }),
  });
  const found = await cleanDiscovery(operations ?? [], (value) => hideSecrets(mask, value));
  if (rest > 0) {
    const reason = `Only the first ${leftOutMax} operations that are left out are listed.`;
    leftOut.push({ sourceName: `${rest} more operations`, reason, count: rest });
  }
  found.leftOut.unshift(...leftOut);
  return found;
}

/** What the audit row has of a discovery. */
export function toRecorded({ operations, leftOut }: CleanDiscovery): Record<string, number> {
  return { operations: operations.length, left_out: countLeftOut(leftOut) };
}

function checkDiscoverable({ world, call }: FoundRow): void {
  const { row, connector } = call;
  if (connector.discover === undefined) {
    throw new HubError(
      "bad_request",
      `"${row.label}" is a row of ${connector.name}, whose operations are the same for all rows. There is nothing to discover.`,
    );
  }
  admit(world, call, "start");
}

/** What is stored is shown to many users, so a text with a secret is left out, not sealed for one. */
export function hideSecrets<Value>(mask: Mask, value: Value): Value {
  const hide = (text: string) => (mask.sealText(text) === text ? text : "[secret]");
  // Safe: only texts are replaced, by texts.
  return mapJson(value, { mapText: hide, mapKey: hide }) as Value;
}
