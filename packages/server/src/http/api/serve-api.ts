import { type Context, Hono, type MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import type { ChangeLimit } from "../../changes/change-limit.ts";
import { HubError } from "../../errors.ts";
import type { SpaceGuard } from "../../lib/files/space-guard.ts";
import type { Log } from "../../lib/logs/create-log.ts";
import { openEventStream } from "../../lib/streams/event-stream.ts";
import type { Timers } from "../../lib/time/timers.ts";
import type { ServiceDeps } from "../../services/service-deps.ts";
import type { AppEnv } from "../app-env.ts";
import type { BodyReaders } from "../bodies/body-readers.ts";
import { idleSecondsMax, staleMs } from "../bodies/slow-bodies.ts";
import { type ClientFinder, findClientIp } from "../clients/find-client.ts";
import { findUserAgent } from "../clients/http-client.ts";
import { findNearPath } from "../pages/near-path.ts";
import type { RequestQueue } from "../queue/request-queue.ts";
import { toUserQueueKey } from "../queue/request-queue-keys.ts";
import type { ApiRequest } from "./api-request.ts";
import type { ApiRoute } from "./api-routes.ts";
import { needsSpace } from "./endpoint.ts";
import { type ApiCallerDeps, findApiCaller } from "./find-api-caller.ts";
import { findFreshNeed } from "./fresh-routes.ts";
import { createOpenStreams, type OpenStreams } from "./open-streams.ts";

export type ApiDeps = ApiCallerDeps &
  Pick<BodyReaders, "readApiBody" | "readFile"> & {
    services: ServiceDeps;
    findClient: ClientFinder;
    queue: RequestQueue;
    /** Null if no traces are recorded. */
    recordRoute: MiddlewareHandler<AppEnv> | null;
    /** Registers the plugins that other processes have installed since the last request. */
    followPlugins(): Promise<unknown>;
    space: SpaceGuard;
    changes: ChangeLimit;
    hubVersion: string;
    baseUrl: string;
    localUrl: string;
    timers: Timers;
    log: Pick<Log, "error">;
  };

/** Every address of the API is below one of these. */
const doors = ["/manager/api/*", "/admin/api/*", "/profile/api/*", "/channels/*"];

/**
 * Mounts the API and its OpenAPI document. The endpoints and their schemas are loaded at the first
 * request, because a hub whose clients use only `/mcp` does not need them in memory.
 */
export function serveApi(app: Hono<AppEnv>, deps: ApiDeps): void {
  let loaded: Promise<Hono<AppEnv>> | null = null;
  const load = () => {
    loaded ??= mountRoutes(deps);
    loaded.catch(() => {
      loaded = null;
    });
    return loaded;
  };
  for (const door of doors) {
    app.all(door, async (ctx) => (await load()).fetch(ctx.req.raw, ctx.env));
  }
  // Created once, on first use: it takes some time and requires no authentication.
  let document: Promise<string> | null = null;
  app.get("/openapi.json", async (ctx) => {
    document ??= import("./api-document.ts").then(({ describeApi }) =>
      JSON.stringify(describeApi(deps)),
    );
    return ctx.body(await document, 200, { "content-type": "application/json" });
  });
}

/** An app with every route of the API. Its failures are those of the app that it is mounted on. */
async function mountRoutes(deps: ApiDeps): Promise<Hono<AppEnv>> {
  const { apiRoutes } = await import("./api-routes.ts");
  const api = new Hono<AppEnv>();
  const streams = createOpenStreams();
  if (deps.recordRoute !== null) api.use(deps.recordRoute);
  const identify = createMiddleware<AppEnv>(async (ctx, next) => {
    ctx.set("client", deps.findClient(ctx.req.raw, ctx.env.server));
    ctx.set("apiCaller", await findApiCaller(deps, ctx));
    ctx.set("identifiedAtMs", deps.timers.now());
    await next();
  });
  for (const route of apiRoutes) {
    const path = route.path.replaceAll(/\{(\w+)\}/g, ":$1");
    // After authentication: bodies of other senders are not read.
    const takesFile = route.endpoint.fileTypes !== undefined;
    const read = takesFile ? skipBody : deps.readApiBody;
    const admit = createMiddleware<AppEnv>(async (ctx, next) => {
      if (route.method !== "GET") deps.changes.count(ctx.get("apiCaller").caller.userId);
      if (needsSpace(route)) deps.space.requireSpace();
      await next();
    });
    api.on(route.method, path, identify, admit, read, (ctx) =>
      answer({ ...deps, streams }, route, ctx),
    );
  }
  api.notFound(() => {
    throw refusePath();
  });
  api.onError((err) => {
    throw err;
  });
  return api;
}

/** `path` is what was asked for, if something is near. */
export function refusePath(path = ""): HubError {
  const advice = findNearPath(path);
  return new HubError("not_found", `There is no page or endpoint at this address.${advice}`);
}

/** The endpoint reads the file in the body after the guard. */
const skipBody = createMiddleware<AppEnv>(async (ctx, next) => {
  ctx.set("body", "");
  ctx.set("releasePermit", () => {});
  await next();
});

type AnswerDeps = ApiDeps & { streams: OpenStreams };

async function answer(deps: AnswerDeps, route: ApiRoute, ctx: Context<AppEnv>): Promise<Response> {
  if (deps.timers.now() - ctx.get("identifiedAtMs") > staleMs) {
    // The body took long to arrive, and the right may have ended meanwhile.
    ctx.set("apiCaller", await findApiCaller(deps, ctx));
  }
  const req = await toApiRequest(deps, route, ctx);
  await route.guard.check(req);
  const need = findFreshNeed(route);
  if (need !== null) deps.services.freshSignIn.check(req.actor, need);
  checkBodyType(req);
  await deps.followPlugins();
  const response = await route.endpoint.respond(req);
  // The router answers HEAD without the body. One that is not read would stay open.
  if (ctx.req.raw.method === "HEAD") await response.body?.cancel();
  // These answers contain new tokens and users' calls: caches must not store them, and browsers must
  // not render them as pages.
  response.headers.set("Cache-Control", "no-store");
  response.headers.set("X-Content-Type-Options", "nosniff");
  return response;
}

async function toApiRequest(
  deps: AnswerDeps,
  { guard }: ApiRoute,
  ctx: Context<AppEnv>,
): Promise<ApiRequest> {
  const { caller, via, sessionId, csrfToken, freshAt } = ctx.get("apiCaller");
  const ip = findClientIp(ctx);
  const { raw } = ctx.req;
  const body = ctx.get("body");
  if (body === null) throw new HubError("bad_request", "The body is not valid UTF-8.");
  const checkRight = async () => {
    const { caller: current } = await findApiCaller(deps, ctx);
    await guard.check({ ...req, caller: current });
  };
  const req: ApiRequest = {
    caller,
    actor: {
      userId: caller.userId,
      email: caller.email,
      tokenId: caller.tokenId,
      via,
      ip,
      ...(freshAt !== null && { freshAt }),
    },
    services: deps.services,
    params: ctx.req.param(),
    query: ctx.req.query(),
    body,
    bodyType: ctx.req.header("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "",
    readFile: (bytesMax) => deps.readFile(raw, bytesMax),
    signal: raw.signal,
    baseUrl: deps.baseUrl,
    localUrl: deps.localUrl,
    ip,
    userAgent: findUserAgent(ctx.req.raw.headers),
    wantsEvents: /\btext\/event-stream\b/i.test(raw.headers.get("accept") ?? ""),
    holdOpen() {
      ctx.get("releasePermit")();
      ctx.env.server?.timeout(raw, 0);
      return () => ctx.env.server?.timeout(raw, idleSecondsMax);
    },
    openEvents: (onDisconnect) => openEventStream({ timers: deps.timers }, onDisconnect),
    countStream: () => deps.streams.open(caller.userId),
    async checkAgain() {
      await deps.queue.waitForLane(toUserQueueKey(caller.userId), () => raw.signal);
      await checkRight();
    },
    checkRight,
    after: deps.timers.after,
    recordFault: (err) =>
      deps.log.error({ err, path: ctx.req.path }, "An answer failed after it had started"),
    sessionId,
    csrfToken,
  };
  return req;
}

/** Refuses forms, which pages of other sites may send without a CORS preflight. */
function checkBodyType({ body, bodyType }: ApiRequest): void {
  if (body === "" || bodyType === "application/json") return;
  throw new HubError("unsupported_media_type", "Send the body as Content-Type: application/json.");
}
