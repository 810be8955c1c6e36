import { appPages } from "@hub/contract/app-pages.ts";
import { Hono } from "hono";
import {
  clientDocumentPath,
  connectCallbackPath,
  describeClientDocument,
} from "../bridges/mcp/oauth/describe-client.ts";
import { type ChangeLimit, createChangeLimit } from "../changes/change-limit.ts";
import { readDocs } from "../docs/read-docs.ts";
import { ssoCallbackPath } from "../identity/sso/single-sign-on.ts";
import type { SpaceGuard } from "../lib/files/space-guard.ts";
import type { Log } from "../lib/logs/create-log.ts";
import { createRefusalLog } from "../lib/logs/refusal-log.ts";
import type { Gauges, Metrics } from "../lib/metrics/metrics.ts";
import type { TrustedProxies } from "../lib/network/trusted-proxies.ts";
import { systemTimers, type Timers } from "../lib/time/timers.ts";
import type { Tracing } from "../lib/tracing/tracing.ts";
import type { Mcp } from "../mcp/mcp.ts";
import { findApiSession } from "./api/api-session.ts";
import { type ApiDeps, refusePath, serveApi } from "./api/serve-api.ts";
import type { AppEnv } from "./app-env.ts";
import { createBodyReaders } from "./bodies/body-readers.ts";
import { lingerAfter } from "./bodies/linger.ts";
import { createUnreadBodies } from "./bodies/unread-bodies.ts";
import { createClientFinder } from "./clients/find-client.ts";
import { countChange } from "./count-change.ts";
import {
  type ChannelParts,
  channelRoutes,
  createChannelEndpoint,
  isChannelEventsUrl,
} from "./events/channel-endpoint.ts";
import {
  createWebhookEndpoint,
  isWebhookUrl,
  type WebhookParts,
  webhookRoutes,
} from "./events/webhook-endpoint.ts";
import type { AnsweredHosts } from "./guards/answered-hosts.ts";
import type { BearerDeps } from "./guards/check-bearer.ts";
import { checkForm, checkFormSource } from "./guards/check-form.ts";
import { checkHost } from "./guards/check-host.ts";
import { checkOrigin } from "./guards/check-origin.ts";
import { limitPages } from "./guards/limit-addresses.ts";
import { needSession } from "./guards/need-session.ts";
import { needSpace } from "./guards/need-space.ts";
import { helpPath } from "./help/help-path.ts";
import { createHelpLoader } from "./help/load-help.ts";
import { findMcpAddress } from "./mcp/mcp-address.ts";
import { createMcpEndpoint, type FindPresentCaller, mcpRoutes } from "./mcp/mcp-endpoint.ts";
import { answerMetrics } from "./metrics/answer-metrics.ts";
import { checkMetricsAccess } from "./metrics/check-metrics-access.ts";
import { type OAuthDeps, serveOAuthEndpoints } from "./oauth/oauth-endpoints.ts";
import { serveOAuthPages } from "./oauth/oauth-pages.tsx";
import { finishConnecting } from "./pages/connect-callback.ts";
import {
  createToken,
  decryptValue,
  encryptValue,
  endOtherSessions,
  endOwnSession,
  type ProfilePageDeps,
  revokeOwnApplication,
  revokeToken,
  rotateToken,
  showConnect,
  showDecrypt,
  showEncrypt,
  showProfile,
  showTokens,
} from "./pages/profile-pages.tsx";
import { setPageHeaders } from "./pages/set-page-headers.ts";
import { answerStyle, stylePath } from "./pages/style.ts";
import { presentProblem } from "./present-problem.ts";
import { createRequestQueue } from "./queue/request-queue.ts";
import { enterQueue } from "./queue/request-queue-keys.ts";
import { answerReady, type Readiness } from "./readiness.ts";
import { recordRequest } from "./record-request.ts";
import {
  type AuthPageDeps,
  changePassword,
  showLogin,
  showPassword,
  showPending,
  signInByPassword,
  signOut,
} from "./sign-in/auth-pages.tsx";
import { readSession, type SessionDeps } from "./sign-in/read-session.ts";
import { beginSingleSignOn, finishSingleSignOn, type SsoPageDeps } from "./sign-in/sso-pages.ts";
import { createRouteRecorder, type RoutesOfAnswers, traceRequests } from "./trace-requests.ts";
import { answerAppAsset, appAssets } from "./web/app-assets.ts";
import { showApp } from "./web/app-page.ts";
import type { LoadWeb } from "./web/load-web.ts";

export type AppDeps = Pick<BearerDeps, "authenticate" | "baseUrl"> & {
  mcp: Pick<Mcp, "answerPost" | "endSession">;
  findPresentCaller: FindPresentCaller;
  readiness: Readiness;
  space: SpaceGuard;
  hosts: AnsweredHosts;
  api: Pick<
    ApiDeps,
    "authenticatePersonalToken" | "services" | "followPlugins" | "hubVersion" | "localUrl"
  >;
  people: Omit<AuthPageDeps & SsoPageDeps & SessionDeps, "baseUrl"> & Pick<ProfilePageDeps, "ring">;
  oauth: OAuthDeps["oauth"];
  /** The proxies whose forwarding headers are trusted. The default is none. */
  isProxy?: TrustedProxies;
  /** Takes a private peer that sends forwarding headers and is no trusted proxy; once. */
  recordForwarder?(ip: string): void;
  metrics: Metrics;
  readGauges: () => Promise<Omit<Gauges, "requests">>;
  loadWeb: LoadWeb;
  webhooks: WebhookParts;
  channels: ChannelParts;
  log: Pick<Log, "error" | "warn">;
  timers?: Timers;
  /** Whether programs of this machine read the metrics without a token. The default is true. */
  areMetricsLocal?: boolean;
  /** The budget of this name. */
  bodyBytes?: number;
  /** The default has no limit. */
  changes?: ChangeLimit;
  /** Null or absent if no traces are recorded. */
  tracing?: Tracing | null;
};

/** The server's answer to each request. */
export type App = {
  fetch(req: Request, env: AppEnv["Bindings"]): Response | Promise<Response>;
  /** The method and path of each route. */
  routes: ReadonlyArray<{ method: string; path: string }>;
};

/** What the doors share, and the endpoints that are answered without the router. */
function openDoors({ log, timers = systemTimers, ...deps }: AppDeps) {
  const refusals = createRefusalLog({ log, timers, metrics: deps.metrics });
  const queue = createRequestQueue({ timers });
  const unread = createUnreadBodies();
  const bodies = createBodyReaders({ timers, queue, unread, bodyBytes: deps.bodyBytes });
  const findClient = createClientFinder({
    isProxy: deps.isProxy ?? (() => false),
    ...(deps.recordForwarder && { recordForwarder: deps.recordForwarder }),
  });
  const parts = { ...deps, ...bodies, queue, findClient, refusals, log, timers };
  // The guards of /mcp are in its endpoint.
  const answerMcp = createMcpEndpoint(parts);
  const answerWebhook = createWebhookEndpoint({ ...parts, ...deps.webhooks });
  const answerChannel = createChannelEndpoint({ ...parts, ...deps.channels });
  const answerBy =
    (app: Hono<AppEnv>): App["fetch"] =>
    (req, env) => {
      if (findMcpAddress(req.url) !== null) return answerMcp(req, env.server);
      if (isChannelEventsUrl(req.url)) return answerChannel(req, env.server);
      return isWebhookUrl(req.url) ? answerWebhook(req, env.server) : app.fetch(req, env);
    };
  return { refusals, queue, unread, bodies, findClient, answerBy };
}

/** Every route of the server, with its guards in the order in which they run. */
export function createApp(given: AppDeps): App {
  const { log, timers = systemTimers, ...deps } = given;
  const { refusals, queue, unread, bodies, findClient, answerBy } = openDoors(given);
  const app = new Hono<AppEnv>();

  const { tracing = null } = deps;
  const routes: RoutesOfAnswers = new WeakMap();
  const recordRoute = tracing === null ? null : createRouteRecorder(routes);
  if (recordRoute !== null) app.use(recordRoute);
  app.use(recordRequest(deps));
  app.use((ctx, next) => {
    ctx.set("client", findClient(ctx.req.raw, ctx.env.server));
    return next();
  });

  // No guards: probes use the address as Host, and the answer reveals nothing.
  app.get("/health", (ctx) => ctx.json({ status: "ok" }));
  app.get("/ready", answerReady(deps));

  const metricsAccess = checkMetricsAccess({
    ...deps.api,
    hosts: deps.hosts,
    isOpenLocally: deps.areMetricsLocal ?? true,
  });
  const countRequests = () => ({ running: queue.countRunning(), waiting: queue.countWaiting() });
  const readGauges = async () => ({ ...(await deps.readGauges()), requests: countRequests() });
  app.get("/metrics", metricsAccess, answerMetrics({ ...deps, readGauges }));

  app.use((ctx, next) => {
    checkHost(deps.hosts, ctx.get("client"));
    return next();
  });
  serveOAuthEndpoints(app, { ...deps, ...bodies, timers });

  app.use((ctx, next) => {
    checkOrigin(deps.hosts, ctx.req.raw.headers);
    return next();
  });

  const people = { ...deps.people, baseUrl: deps.baseUrl };
  const page = [readSession(people), setPageHeaders(deps), enterQueue(queue)] as const;
  // The session is read again when the form has arrived, which may take half a minute.
  const form = [
    checkFormSource(deps),
    bodies.readForm,
    readSession(people),
    checkForm(deps),
  ] as const;
  app.get(stylePath, answerStyle);
  const help = createHelpLoader({ ...deps.api, baseUrl: deps.baseUrl, readDocs });
  // What the hub is and how clients connect is no secret; the pages tell its version.
  app.get(
    "/llms.txt",
    help((pages) => pages.answerLlmsText()),
  );
  app.get("/auth/login", ...page, showLogin(people));
  app.post("/auth/login", ...page, ...form, signInByPassword(people));
  app.post("/auth/logout", ...page, ...form, signOut(people));
  app.get("/auth/password", ...page, showPassword);
  app.post("/auth/password", ...page, ...form, changePassword(people));
  app.get("/auth/pending", ...page, showPending);
  const pace = { perMinute: 120, now: timers.now };
  app.get("/auth/sso", limitPages(pace), ...page, beginSingleSignOn(people));
  app.get(ssoCallbackPath, limitPages(pace), ...page, finishSingleSignOn(people));

  app.get(clientDocumentPath, (ctx) => ctx.json(describeClientDocument(deps.baseUrl)));
  app.get(connectCallbackPath, limitPages(pace), ...page, finishConnecting(deps.api));

  const { changes = createChangeLimit({ now: timers.now, perDay: 0 }) } = deps;
  const own = [...page, needSession] as const;
  for (const path of appPages) app.get(path.replaceAll("$", ":"), ...own, showApp(deps));
  app.get(`${appAssets}:name`, answerAppAsset(deps));
  const ownForm = [...page, ...form, needSession, countChange(changes)] as const;
  const profile = { ...deps.api, ...deps.people, baseUrl: deps.baseUrl };
  app.get("/profile", ...own, showProfile(profile));
  app.post("/profile/sessions/end-others", ...ownForm, endOtherSessions(profile));
  app.post("/profile/sessions/:id/end", ...ownForm, endOwnSession(profile));
  app.post("/profile/applications/:id/revoke", ...ownForm, revokeOwnApplication(profile));
  app.get("/profile/tokens", ...own, showTokens(profile));
  app.post("/profile/tokens", ...ownForm, needSpace(deps.space), createToken(profile));
  app.post("/profile/tokens/:id/revoke", ...ownForm, revokeToken(profile));
  app.post("/profile/tokens/:id/rotate", ...ownForm, needSpace(deps.space), rotateToken(profile));
  app.get("/profile/mcp", ...own, showConnect(profile));
  app.get("/tools/encfields", ...own, showEncrypt);
  app.post("/tools/encfields", limitPages(pace), ...ownForm, encryptValue(profile));
  app.get("/tools/encfields/decrypt", ...own, showDecrypt);
  app.post("/tools/encfields/decrypt", limitPages(pace), ...ownForm, decryptValue(profile));

  for (const path of [helpPath, `${helpPath}/`]) {
    app.get(
      path,
      ...own,
      help((pages, ctx) => pages.showIndex(ctx)),
    );
  }
  app.get(
    `${helpPath}/:topic{.+}`,
    ...own,
    help((pages, ctx) => pages.showTopic(ctx)),
  );

  serveOAuthPages(app, { ...deps, timers }, { page, form });

  serveApi(app, {
    ...deps,
    ...deps.api,
    ...bodies,
    findSession: findApiSession(people),
    findClient,
    queue,
    changes,
    recordRoute,
    timers,
    log,
  });

  app.notFound(async (ctx) => {
    // The page that says so has the menu of who is signed in.
    await readSession(people)(ctx, async () => {});
    throw refusePath(ctx.req.path);
  });
  app.onError(presentProblem({ ...deps, log, refusals }));
  const fetch = answerBy(app);
  const answer = tracing === null ? fetch : traceRequests(tracing, routes, fetch);
  return {
    fetch: lingerAfter({ timers, unread, findClient }, answer),
    routes: [...mcpRoutes, ...webhookRoutes, ...channelRoutes, ...app.routes],
  };
}
