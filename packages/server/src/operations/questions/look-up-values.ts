import type { LookupItem } from "@hub/connector";
import { HubError, toInvalidParams } from "../../errors.ts";
import { isListed } from "../admission/list-form.ts";
import type { ExecuteDeps } from "../calls/execute-deps.ts";
import type { CallContext } from "../operations.ts";
import { askRow, type FoundRow } from "./ask-row.ts";

/** The operation key in the audit row. Connectors cannot define an operation with this key. */
const lookupKey = "hub.lookup";

/** An error with more would be hard to read. */
const sourcesMax = 50;

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
 * Throws `invalid_params`, which lists the sources, for one that no picker has. Admins may use every picker, other users
 * only those of the operations that they can call: a source of the others is unknown to them.
 */
function checkSource({ caller }: CallContext, found: FoundRow, source: string): void {
  const { row, connector } = found.call;
  const isAdmin = caller.role === "admin";
  // The connector says so itself.
  if (isAdmin && connector.lookup === undefined) return;
  const asked = { path: "client", caller, row, connector } as const;
  // Its connector knows the sources. The filters of its events have pickers too, and every user who sees a channel
  // may use its events.
  if (connector.isChat && (isAdmin || isListed(found.world, asked))) return;
  // What a row brings has no pickers, and its inputs are slow to read: a row may bring thousands of operations.
  const operations = [...row.operations.values()].filter(
    (operation) =>
      operation.fromRow === undefined &&
      (isAdmin || isListed(found.world, { ...asked, operation })),
  );
  const fields = [
    ...(isAdmin ? connector.configFields : []),
    ...operations.flatMap(({ inputFields }) => inputFields),
  ];
  const known = new Set(fields.flatMap((field) => field.source ?? []));
  if (known.has(source)) return;
  const listed = [...known].slice(0, sourcesMax).join(", ");
  const use = known.size === 0 ? "You can use no picker of this row" : `Use ${listed}`;
  throw toInvalidParams([{ path: "source", message: `is not known. ${use}` }]);
}
