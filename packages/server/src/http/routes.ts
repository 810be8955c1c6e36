import { appPages } from "@hub/contract/app-pages.ts";
import { Hono } from "hono";
import {
  clientDocumentPath,
  connectCallbackPath,
  describeClientDocument,
} from "../bridges/mcp/oauth/describe-client.ts";
import { createChangeLimit } from "../changes/change-limit.ts";
import { readDocs } from "../docs/read-docs.ts";
import { ssoCallbackPath, ssoLogoutPath } from "../identity/sso/single-sign-on.ts";
import { systemTimers } from "../lib/time/timers.ts";
import { findApiSession } from "./api/api-session.ts";
import { refusePath, serveApi } from "./api/serve-api.ts";
import type { App, AppDeps } from "./app.ts";
import type { AppEnv } from "./app-env.ts";
import { lingerAfter } from "./bodies/linger.ts";
import { countChange } from "./count-change.ts";
import { channelRoutes } from "./events/channel-endpoint.ts";
import { webhookRoutes } from "./events/webhook-endpoint.ts";
import { checkForm, checkFormSource } from "./guards/check-form.ts";
import { checkHost } from "./guards/check-host.ts";
import { checkOrigin } from "./guards/check-origin.ts";
import { limitOAuth, limitPages } from "./guards/limit-addresses.ts";
import { needSession } from "./guards/need-session.ts";
import { needSpace } from "./guards/need-space.ts";
import { helpPath } from "./help/help-path.ts";
import { createHelpLoader } from "./help/load-help.ts";
import { mcpRoutes } from "./mcp/mcp-endpoint.ts";
import { answerMetrics } from "./metrics/answer-metrics.ts";
import { checkMetricsAccess } from "./metrics/check-metrics-access.ts";
import { serveOAuthEndpoints } from "./oauth/oauth-endpoints.ts";
import { serveOAuthPages } from "./oauth/oauth-pages.tsx";
import { openDoors } from "./open-doors.ts";
import { finishConnecting } from "./pages/connect-callback.ts";
import { answerFont, fontPath } from "./pages/font.ts";
import {
  createToken,
  decryptValue,
  encryptValue,
  endOtherSessions,
  endOwnSession,
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
import { enterQueue } from "./queue/request-queue-keys.ts";
import { answerReady } from "./readiness.ts";
import { recordRequest } from "./record-request.ts";
import { scimRoutes } from "./scim/scim-endpoint.ts";
import {
  changePassword,
  showLogin,
  showPassword,
  showPending,
  signInByPassword,
  signOut,
} from "./sign-in/auth-pages.tsx";
import { serveFactorPages } from "./sign-in/factor-routes.ts";
import { readSession } from "./sign-in/read-session.ts";
import { receiveLogout } from "./sign-in/sso-logout.ts";
import { beginSingleSignOn, finishSingleSignOn } from "./sign-in/sso-pages.ts";
import { createRouteRecorder, type RoutesOfAnswers, traceRequests } from "./trace-requests.ts";
import { answerAppAsset, appAssets } from "./web/app-assets.ts";
import { showApp } from "./web/app-page.ts";

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
  app.get(fontPath, answerFont);
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
  // From the provider, which sends one for each session of all its users.
  const logouts = limitOAuth({ perMinute: 6000, now: timers.now });
  app.post(ssoLogoutPath, logouts, bodies.readForm, receiveLogout(people));

  app.get(clientDocumentPath, (ctx) => ctx.json(describeClientDocument(deps.baseUrl)));
  for (const path of [connectCallbackPath, `${connectCallbackPath}/:row`]) {
    app.get(path, limitPages(pace), ...page, finishConnecting(deps.api));
  }

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
  serveFactorPages(
    app,
    { ...deps.api, ...people, metrics: deps.metrics },
    {
      page,
      form,
      pace: limitPages(pace),
      count: countChange(changes),
      space: needSpace(deps.space),
    },
  );
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

  serveOAuthPages(app, { ...deps, services: deps.api.services, timers }, { page, form });

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
    routes: [...mcpRoutes, ...webhookRoutes, ...channelRoutes, ...scimRoutes, ...app.routes],
  };
}
