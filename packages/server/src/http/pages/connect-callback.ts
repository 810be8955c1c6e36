import type { Context } from "hono";
import { HubError } from "../../errors.ts";
import { finishRowConnect } from "../../services/rows/connection/finish-row-connect.ts";
import type { ServiceDeps } from "../../services/service-deps.ts";
import type { AppEnv } from "../app-env.ts";
import { findDetour, getSignedIn, toActor } from "../guards/need-session.ts";

/**
 * Takes the answer of an authorization server for the row that an admin connects, and shows the row. A
 * browser without a session is not sent to the sign-in: the address has a code.
 */
export function finishConnecting(deps: { services: ServiceDeps }) {
  return async (ctx: Context<AppEnv>): Promise<Response> => {
    const session = ctx.get("session");
    if (session === null || findDetour(session) !== null || session.user.role !== "admin") {
      throw new HubError(
        "forbidden",
        "Only the admin who began to connect a row can finish it. Sign in, open the row and press Connect again.",
      );
    }
    const { searchParams } = new URL(ctx.req.url);
    const { sessionId } = getSignedIn(ctx);
    const { services } = deps;
    const row = await finishRowConnect(services, toActor(ctx), sessionId, searchParams);
    return ctx.redirect(`/manager/connectors/${row.connectorKey}/${row.rowId}?tab=settings`, 303);
  };
}
