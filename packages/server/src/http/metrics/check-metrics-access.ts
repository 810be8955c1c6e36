import type { Context, MiddlewareHandler } from "hono";
import { HubError } from "../../errors.ts";
import type { PersonalBearer } from "../../identity/authenticate-bearer.ts";
import { refuseScope } from "../api/find-api-caller.ts";
import type { AppEnv } from "../app-env.ts";
import type { AnsweredHosts } from "../guards/answered-hosts.ts";
import { checkHost } from "../guards/check-host.ts";
import { parseBearer } from "../guards/parse-bearer.ts";

export type MetricsAccess = {
  /** Finds the user of a personal access token; null if the token is not valid. */
  authenticatePersonalToken(token: string): Promise<PersonalBearer | null>;
  hosts: AnsweredHosts;
  /**
   * Whether a request from this machine needs no token. False if the hub is reached from elsewhere and no proxy is known: a proxy on
   * this machine that adds no header makes every request local.
   */
  isOpenLocally: boolean;
};

/**
 * Allows requests with an admin's token of the scope `manage`, and requests from this machine without
 * a token. The latter must use the hub's own host name, which stops DNS rebinding.
 */
export function checkMetricsAccess(deps: MetricsAccess): MiddlewareHandler<AppEnv> {
  return async (ctx, next) => {
    if (ctx.req.header("authorization") === undefined) {
      if (!deps.isOpenLocally || !ctx.get("client").isLocal) {
        throw refuse("unauthorized", "An admin's token is required");
      }
      checkHost(deps.hosts, ctx.get("client"));
      return await next();
    }
    const bearer = await findBearer(deps, ctx);
    if (bearer === null) {
      throw refuse("unauthorized", "This is not a valid personal access token");
    }
    if (bearer.caller.role !== "admin") throw refuse("forbidden", "Only admins may read metrics");
    if (bearer.scope !== "manage") throw refuseScope();
    await next();
  };
}

async function findBearer(
  deps: MetricsAccess,
  ctx: Context<AppEnv>,
): Promise<PersonalBearer | null> {
  const { token } = parseBearer(ctx.req.header("authorization"));
  return token === null ? null : await deps.authenticatePersonalToken(token);
}

function refuse(code: "unauthorized" | "forbidden", sentence: string): HubError {
  return new HubError(code, `${sentence}. Send an admin's token as Authorization: Bearer TOKEN.`);
}
