import {
  type CleanDiscovery,
  cleanDiscovery,
  operationsMax,
} from "../../connectors/by-row/clean-discovery.ts";
import { HubError } from "../../errors.ts";
import { mapJson } from "../../secrets/masks/map-json.ts";
import type { Mask } from "../../secrets/masks/mask.ts";
import { countLeftOut, type LeftOutOperation } from "../../store/rows/row-operations-table.ts";
import { admit } from "../admission/admit.ts";
import type { ExecuteDeps } from "../calls/execute-operation.ts";
import type { CallContext, DiscoverRequest } from "../operations.ts";
import { askRow, type FoundRow } from "./ask-row.ts";

/** The operation key in the audit row. Connectors cannot define an operation with this key. */
const discoverKey = "hub.discover";

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
      // Checked above.
      const leftOut: LeftOutOperation[] = [];
      let rest = 0;
      const operations = await connector.discover?.({
        ...call,
        leaveOut: (sourceName, reason, count = 1) => {
          if (leftOut.length >= leftOutMax) rest += count;
          else {
            const one = hideSecrets(mask, { sourceName, reason });
            leftOut.push(count === 1 ? one : { ...one, count });
          }
        },
        ...(document !== undefined && { document }),
      });
      found = await cleanDiscovery(operations ?? [], (value) => hideSecrets(mask, value));
      if (rest > 0) {
        const reason = `Only the first ${leftOutMax} operations that are left out are listed.`;
        leftOut.push({ sourceName: `${rest} more operations`, reason, count: rest });
      }
      found.leftOut.unshift(...leftOut);
      return { operations: found.operations.length, left_out: countLeftOut(found.leftOut) };
    },
  });
  return found;
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
function hideSecrets<Value>(mask: Mask, value: Value): Value {
  const hide = (text: string) => (mask.sealText(text) === text ? text : "[secret]");
  // Safe: only texts are replaced, by texts.
  return mapJson(value, { mapText: hide, mapKey: hide }) as Value;
}
