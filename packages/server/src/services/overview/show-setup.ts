import type { SetupProgress } from "@hub/contract/overview.ts";
import { toTimeText } from "@hub/contract/time.ts";
import type { Caller } from "../../caller.ts";
import { toVisibleTags } from "../../connectors/rows/row-visibility.ts";
import { LOCAL_ADMIN_ID } from "../../identity/local-admin.ts";
import { hasRowBesides } from "../../store/rows/has-row.ts";
import { findFirstClientCall } from "../../store/runs/first-client-call.ts";
import { listTokens } from "../../store/users/tokens-table.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { listApplications } from "../users/manage-applications.ts";

type SetupDeps = Pick<ServiceDeps, "store" | "now">;

/** Rows of these connectors are there from the first start. */
const ownConnectors = ["hub", "workflow"];

/** How far the caller is on the way to the first call of a client; an admin, how far the hub is. */
export async function showSetup(deps: SetupDeps, caller: Caller): Promise<SetupProgress> {
  const { db } = deps.store;
  const taggedAmong = toVisibleTags(caller);
  const own = taggedAmong && { userId: caller.userId, taggedAmong };
  const first = await findFirstClientCall(db, own ?? "all");
  return {
    sees_rows: await hasRowBesides(db, {
      connectors: ownConnectors,
      taggedAmong,
    }),
    client_seen_at: await findClientUse(deps, caller.userId),
    first_call_at: first === null ? null : toTimeText(first),
  };
}

/** Tokens for the management API as well are used by scripts, so they do not show that a client has come. */
async function findClientUse(deps: SetupDeps, userId: string): Promise<string | null> {
  // The local admin is no user, so no application has its access.
  if (userId === LOCAL_ADMIN_ID) return null;
  const tokens = await listTokens(deps.store.db, { userId });
  const applications = await listApplications(deps, { userId });
  const uses = [
    ...tokens.flatMap(({ scope, lastUsedAt: at }) =>
      scope === "mcp" && at !== null ? [toTimeText(at)] : [],
    ),
    ...applications.flatMap(({ last_used_at: at }) => (at === null ? [] : [at])),
  ];
  return uses.toSorted().at(-1) ?? null;
}
