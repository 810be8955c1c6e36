import type { ChangeLimit } from "../changes/change-limit.ts";
import type { SpaceGuard } from "../lib/files/space-guard.ts";
import type { Log } from "../lib/logs/create-log.ts";
import type { Gauges, Metrics } from "../lib/metrics/metrics.ts";
import type { TrustedProxies } from "../lib/network/trusted-proxies.ts";
import type { Timers } from "../lib/time/timers.ts";
import type { Tracing } from "../lib/tracing/tracing.ts";
import type { Mcp } from "../mcp/mcp.ts";
import type { ApiDeps } from "./api/serve-api.ts";
import type { AppEnv } from "./app-env.ts";
import type { ChannelParts } from "./events/channel-endpoint.ts";
import type { WebhookParts } from "./events/webhook-endpoint.ts";
import type { AnsweredHosts } from "./guards/answered-hosts.ts";
import type { BearerDeps } from "./guards/check-bearer.ts";
import type { FindPresentCaller } from "./mcp/mcp-endpoint.ts";
import type { OAuthDeps } from "./oauth/oauth-endpoints.ts";
import type { ProfilePageDeps } from "./pages/profile-pages.tsx";
import type { Readiness } from "./readiness.ts";
import type { SessionDeps } from "./sign-in/read-session.ts";
import type { SetUpDeps } from "./sign-in/set-up-pages.tsx";
import type { SsoPageDeps } from "./sign-in/sso-pages.ts";
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
  people: Omit<SetUpDeps & SsoPageDeps & SessionDeps, "baseUrl" | "metrics"> &
    Pick<ProfilePageDeps, "ring">;
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
