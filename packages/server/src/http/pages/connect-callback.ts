import type { Context } from "hono";
import { toAccountPath } from "../../connectors/accounts/resolve-account.ts";
import { HubError } from "../../errors.ts";
import type { SignedIn } from "../../identity/browser-sessions.ts";
import { toCaller } from "../../identity/to-caller.ts";
import {
  finishAccountSignIn,
  takeSignIn,
} from "../../services/accounts/sign-in/finish-account-sign-in.ts";
import { finishRowConnect } from "../../services/rows/connection/finish-row-connect.ts";
import type { ServiceDeps } from "../../services/service-deps.ts";
import type { AppEnv } from "../app-env.ts";
import { findDetour, getSignedIn, toActor } from "../guards/need-session.ts";

/**
 * Takes the answer of an authorization server for the account that a user connects, or for the row that an admin connects. A browser
 * without a session is not sent to the sign-in: the address has a code.
 */
export function finishConnecting({ services }: { services: ServiceDeps }) {
  return async (ctx: Context<AppEnv>): Promise<Response> => {
    const session = ctx.get("session");
    if (session === null || findDetour(session) !== null) throw refuse();
    const { searchParams: answer, pathname: path } = new URL(ctx.req.url);
    const brought = { path, answer };
    const taken = await takeSignIn(services, brought);
    if (taken !== null) {
      const by = { caller: toSessionCaller(session), actor: toActor(ctx) };
      const { sessionId } = getSignedIn(ctx);
      const { rowId } = await finishAccountSignIn(services, { ...by, sessionId }, taken, brought);
      return ctx.redirect(toAccountPath(rowId), 303);
    }
    if (session.user.role !== "admin") throw refuse();
    const { sessionId } = getSignedIn(ctx);
    const row = await finishRowConnect(services, toActor(ctx), sessionId, brought);
    return ctx.redirect(`/manager/connectors/${row.connectorKey}/${row.rowId}?tab=settings`, 303);
  };
}

function toSessionCaller({ user }: SignedIn) {
  return toCaller({ ...user, userId: user.id }, null, "session");
}

function refuse(): HubError {
  return new HubError(
    "forbidden",
    "Only the user who began to connect an account, or the admin who began to connect a row, can finish it. Sign in and connect again.",
  );
}
