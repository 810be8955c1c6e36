import type { Context, MiddlewareHandler } from "hono";
import { HubError } from "../../errors.ts";
import type { PersonalBearer } from "../../identity/authenticate-bearer.ts";
import { refuseScope } from "../api/api-caller.ts";
import type { AppEnv } from "../app-env.ts";
import { parseBearer } from "../parse-bearer.ts";

export type MetricsAccess = {
  /** Finds whom a personal access token stands for; null for every other text. */
  authenticatePersonalToken(token: string): Promise<PersonalBearer | null>;
  /** Refuses names that are not the hub's. */
  checkHost: MiddlewareHandler<AppEnv>;
};

/**
 * Lets an admin's token with the scope `manage` through from anywhere, and from this machine also requests without a token. The latter
 * has to use the hub's own name: a page of another site whose name was made to resolve here is on this
 * machine as well.
 */
export function checkMetricsAccess(deps: MetricsAccess): MiddlewareHandler<AppEnv> {
  return async (ctx, next) => {
    if (ctx.req.header("authorization") === undefined) {
      if (!ctx.get("client").isLocal) throw refuse("unauthorized", "An admin's token is needed");
      return await deps.checkHost(ctx, next);
    }
    const bearer = await findBearer(deps, ctx);
    if (bearer === null) {
      throw refuse("unauthorized", "This is not a personal access token that works");
    }
    if (bearer.caller.role !== "admin") throw refuse("forbidden", "Only admins may see this");
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
  return new HubError(
    code,
    `${sentence}: send it as Authorization: Bearer TOKEN, or ask from the hub's own machine.`,
  );
}
