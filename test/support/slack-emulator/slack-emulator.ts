import { createDeliveries, type Deliveries, type Transport } from "./deliveries.ts";
import { createInteractions, type Interactions } from "./interactions.ts";
import { createPeople, type People } from "./people.ts";
import { createResponseUrls } from "./response-urls.ts";
import {
  createHttpTransport,
  type SignatureFault,
  type SignedRequest,
  signRequest,
  toRequest,
  verifyRequestUrl,
} from "./signed-requests.ts";
import { createSocketMode, type SocketData, type SocketMode } from "./socket-mode.ts";
import { createWebApi, type WebApi } from "./web-api.ts";
import { Workspace } from "./workspace.ts";

export type SlackEmulator = Omit<SocketMode, "newUrl" | "upgrade" | "websocket" | "transport"> &
  Omit<WebApi, "handle"> &
  Deliveries &
  People &
  Interactions &
  AsyncDisposable & {
    /** Users, channels, tokens, the clock and the faults. */
    workspace: Workspace;
    /** Instead of `https://slack.com/api/`. */
    apiUrl: string;
    /** Sends events to a request URL from now on, after it has answered the challenge. */
    useHttp(requestUrl: string): Promise<void>;
    useSocketMode(): void;
    /** The request of a delivery, as Slack sends it, or with a fault in its signature. */
    toRequest(delivery: Deliveries["all"][number], fault?: SignatureFault): SignedRequest;
    sign: (body: string, options?: { isForm?: boolean; fault?: SignatureFault }) => SignedRequest;
    /** Every call with the token is answered with `token_revoked`, and Socket Mode connections end. */
    revoke(token: string, error?: "token_revoked" | "account_inactive" | "invalid_auth"): void;
    restore(token: string): void;
    /** Ages all trigger ids over the three seconds. */
    expireTriggers(): void;
  };

/**
 * One workspace of Slack with one installed app, in this process and on a free port. It is written from Slack's
 * published reference, and stricter than Slack: unknown arguments, wrong types and missing tokens are refused
 * and recorded in `workspace.faults`. Its clock stands still until a test moves it.
 */
export function startSlackEmulator(): SlackEmulator {
  const slack = new Workspace();
  const stopped = new AbortController();
  const socketMode = createSocketMode(slack);
  let transport: Transport = socketMode.transport;
  const deliveries = createDeliveries(slack, () => transport);
  const people = createPeople(slack, deliveries);
  const responseUrls = createResponseUrls(
    slack,
    () => people,
    () => server.url.origin,
  );
  const interactions = createInteractions(slack, deliveries, people, responseUrls);
  const webApi = createWebApi(slack, (origin) => ({ slack, people, socketMode, origin }));

  const server = Bun.serve<SocketData>({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request, server) {
      const { pathname } = new URL(request.url);
      if (pathname === "/link/") return socketMode.upgrade(request, server);
      if (pathname.startsWith("/api/")) return webApi.handle(request);
      if (/^\/(actions|commands)\//.test(pathname)) return responseUrls.handle(request);
      slack.faults.push(`Slack has nothing at ${pathname}.`);
      return new Response(null, { status: 404 });
    },
    // Otherwise Bun drops messages that a slow client has not read.
    websocket: { ...socketMode.websocket, backpressureLimit: 256 * 1024 * 1024 },
  });

  return {
    ...socketMode,
    ...webApi,
    ...deliveries,
    ...people,
    ...interactions,
    workspace: slack,
    apiUrl: `${server.url.origin}/api/`,
    async useHttp(requestUrl) {
      await verifyRequestUrl(slack, requestUrl);
      transport = createHttpTransport(slack, requestUrl, stopped.signal);
    },
    useSocketMode() {
      transport = socketMode.transport;
    },
    toRequest(delivery, fault) {
      const attempt = delivery.attempts.at(-1) ?? {
        delivery,
        retry: 0,
        retryReason: null,
        state: "sent",
      };
      return toRequest(slack, attempt, fault);
    },
    sign: (body, options) => signRequest(slack, body, options),
    revoke(token, error = "token_revoked") {
      slack.tokenErrors.set(token, error);
      if (token === slack.appToken) socketMode.drop();
    },
    restore(token) {
      slack.tokenErrors.delete(token);
    },
    expireTriggers() {
      for (const trigger of slack.triggers.values()) trigger.expiresAt = slack.clock.now();
    },
    async [Symbol.asyncDispose]() {
      stopped.abort();
      await server.stop(true);
    },
  };
}
