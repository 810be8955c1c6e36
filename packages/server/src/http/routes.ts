import { Hono } from "hono";
import { HubError } from "../errors.ts";
import type { Log } from "../lib/create-log.ts";
import { createRefusalLog } from "../lib/refusal-log.ts";
import { systemTimers, type Timers } from "../lib/timers.ts";
import type { Mcp } from "../mcp/mcp.ts";
import { answerMcpDelete, answerMcpPost, refuseMethod } from "./answer-mcp.ts";
import type { AnsweredHosts } from "./answered-hosts.ts";
import { type ApiDeps, serveApi } from "./api/serve-api.ts";
import type { AppEnv } from "./app-env.ts";
import { type BearerDeps, checkBearer } from "./check-bearer.ts";
import { checkContentType } from "./check-content-type.ts";
import { checkHost } from "./check-host.ts";
import { checkOrigin } from "./check-origin.ts";
import { type OAuthDeps, serveOAuthEndpoints } from "./oauth-endpoints.ts";
import { presentProblem } from "./present-problem.ts";
import { readBody } from "./read-body.ts";

type AppDeps = Pick<BearerDeps, "authenticate" | "baseUrl"> & {
  mcp: Pick<Mcp, "answerPost" | "endSession">;
  hosts: AnsweredHosts;
  api: Pick<ApiDeps, "authenticatePersonalToken" | "findSession" | "openManager" | "hubVersion">;
  oauth: OAuthDeps["oauth"];
  log: Pick<Log, "error" | "warn">;
  timers?: Timers;
};

/** Every route of the server, with its guards, in the order in which they are asked. */
export function createApp({ log, timers = systemTimers, ...deps }: AppDeps): Hono<AppEnv> {
  const refusals = createRefusalLog({ log, timers });
  const app = new Hono<AppEnv>();

  // Probes come by address, and the answer tells nobody anything: no guards.
  app.get("/health", (ctx) => ctx.json({ status: "ok" }));

  app.use(checkHost(deps.hosts));
  serveOAuthEndpoints(app, { ...deps, timers });

  app.use(checkOrigin(deps.hosts));

  app.use("/mcp", checkBearer({ ...deps, refusals }));
  app.post("/mcp", readBody({ timers }), checkContentType, answerMcpPost(deps));
  app.delete("/mcp", answerMcpDelete(deps));
  app.all("/mcp", refuseMethod);

  serveApi(app, { ...deps, ...deps.api, timers, log });

  app.notFound(() => {
    throw new HubError("not_found", "There is nothing at this address.");
  });
  app.onError(presentProblem({ log, refusals }));
  return app;
}
