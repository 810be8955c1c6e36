import type { LookupItem } from "@hub/connector";
import { HubError } from "../errors.ts";
import { isListed } from "./admission/list-form.ts";
import { askRow, type FoundRow } from "./ask-row.ts";
import type { ExecuteDeps } from "./execute-operation.ts";
import type { CallContext } from "./operations.ts";

/** The operation key in the audit row. Connectors cannot define an operation with this key. */
const lookupKey = "hub.lookup";

/** A picker shows a short list. The user types more letters to narrow it. */
const itemsMax = 20;

export type LookUpQuestion = { rowId: string; source: string; query: string };

/**
 * The items of a picker for a typed text. The picker belongs to the row's settings or to an
 * operation's inputs.
 */
export async function lookUp(
  deps: ExecuteDeps,
  ctx: CallContext,
  { rowId, source, query }: LookUpQuestion,
): Promise<LookupItem[]> {
  return await askRow<LookupItem[]>(deps, ctx, rowId, {
    name: "look-up",
    key: lookupKey,
    request: { source, query },
    check: (found) => checkSource(ctx, found, source),
    async ask(connector, call) {
      if (connector.lookup !== undefined) {
        return (await connector.lookup({ ...call, source, query })).slice(0, itemsMax);
      }
      throw new HubError("not_found", `The connector "${connector.key}" has no look-up.`);
    },
  });
}

/**
 * Admins may use every picker. Other users may use only those of the operations that they can call.
 */
function checkSource({ caller }: CallContext, found: FoundRow, source: string): void {
  if (caller.role === "admin") return;
  const { row, connector } = found.call;
  const asked = { path: "client", caller, row, connector } as const;
  // The filters of its events have pickers too, and every user who sees a channel may use its events.
  if (connector.isChat && isListed(found.world, asked)) return;
  const callable = [...row.operations.values()].filter((operation) =>
    isListed(found.world, { ...asked, operation }),
  );
  const isInput = callable.some(({ inputFields }) =>
    inputFields.some((field) => field.source === source),
  );
  if (!isInput) throw new HubError("not_found", "No operation that you can call has this picker.");
}
