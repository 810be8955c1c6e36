import type { Server } from "bun";
import type { Caller } from "../../caller.ts";
import type { SignedIn } from "../../identity/browser-sessions.ts";
import { noSpaceGuard } from "../../lib/files/space-guard.ts";
import { createPrometheusMetrics } from "../../lib/metrics/prometheus-metrics.ts";
import type { Mcp } from "../../mcp/mcp.ts";
import { ada, openTestMcp } from "../../mcp/testing/open-test-mcp.ts";
import { createKeyRing } from "../../secrets/keys/key-ring.ts";
import type { ServiceDeps } from "../../services/service-deps.ts";
import type { TokenScope } from "../../store/database/tables/user-tables.ts";
import { listAnsweredHosts } from "../guards/answered-hosts.ts";
import type { OAuthDeps } from "../oauth/oauth-endpoints.ts";
import type { Readiness } from "../readiness.ts";
import { createApp } from "../routes.ts";
import type { SetUpDeps } from "../sign-in/set-up-pages.tsx";
import type { LoadWeb } from "../web/load-web.ts";

const testRing = createKeyRing([new Uint8Array(32).fill(7)]);

export const token = `hub_pat_${"0".repeat(32)}`;

type Options = Parameters<typeof openTestMcp>[0] & {
  authenticate?: (token: string) => Promise<Caller | null>;
  /** The scope of the personal access token. */
  scope?: TokenScope;
  /** Replaces the whole protocol. */
  mcp?: Pick<Mcp, "answerPost" | "endSession">;
  port?: number;
  /** The default is none: most tests of the app reach no service. */
  services?: ServiceDeps;
  followPlugins?: () => Promise<unknown>;
  /** The default is always ready. */
  readiness?: Readiness;
  /** The address that requests come from. */
  peer?: string;
  /** The default is true. */
  areMetricsLocal?: boolean;
  /** Replaces the authorization server. */
  oauth?: OAuthDeps["oauth"];
  /** Finds the session. The default is none. */
  findSession?: () => Promise<SignedIn | null>;
  /** Loads the app. The default is a program without one. */
  loadWeb?: LoadWeb;
  endSession?: (id: string) => Promise<boolean>;
};

const refuse = () => Promise.reject(new Error("This test has no workflows"));
const noWebhooks = {
  reads: { readRunEnd: async () => null },
  counts: { begin: () => ({ refusal: null, end: () => {} }) },
  ring: { current: () => testRing },
  openWorkflows: refuse,
  findCaller: async () => null,
  now: () => 0,
  perMinute: 0,
};

/** The app over fake operations, known as https://hub.example and listening on loopback. */
export function openTestApp({
  authenticate,
  scope = "manage",
  port = 7420,
  mcp: given,
  oauth,
  peer,
  findSession = async () => null,
  endSession = async () => false,
  readiness = { find: async () => null, isDamaged: () => false },
  loadWeb = async () => null,
  services = {} as ServiceDeps,
  followPlugins = async () => {},
  areMetricsLocal = true,
  ...options
}: Options = {}) {
  const { mcp, ...rest } = openTestMcp(options);
  const warnings: unknown[] = [];
  const failures: unknown[] = [];
  const baseUrl = "https://hub.example";
  const findTestCaller = authenticate ?? (async (sent) => (sent === token ? ada : null));
  const app = createApp({
    mcp: given ?? mcp,
    baseUrl,
    readiness,
    space: noSpaceGuard,
    hosts: listAnsweredHosts({ baseUrl, bindHost: "127.0.0.1", port }),
    people: {
      sessions: { find: findSession, end: endSession },
      signIn: {
        byPassword: async () => null,
        changePassword: async () => ({ field: "current", fault: "No." }),
        confirm: async () => null,
      },
      hasPasskeys: async () => false,
      // The tests of these pages have a database.
      factorSignIn: {
        ring: { current: () => testRing },
        now: () => 0,
      } as SetUpDeps["factorSignIn"],
      singleSignOn: null,
      knownBrowsers: { remember: async () => "" },
      ring: {
        current: () => testRing,
        reload: async () => testRing,
      },
    },
    api: {
      async authenticatePersonalToken(sent) {
        const caller = sent.startsWith("hub_oat_") ? null : await findTestCaller(sent);
        return caller === null ? null : { caller, scope };
      },
      services,
      followPlugins,
      hubVersion: "0.0.0",
      localUrl: "http://127.0.0.1:7420",
    },
    oauth: oauth ?? noOAuth,
    timers: rest.timers,
    metrics: createPrometheusMetrics({ metaToolNames: ["hub_list"], startedAt: 0 }),
    loadWeb,
    areMetricsLocal,
    webhooks: noWebhooks,
    channels: { openDoor: async () => null, counts: noWebhooks.counts },
    readGauges: async () => ({ ...noGauges, version: "0.0.0" }),
    authenticate: findTestCaller,
    findPresentCaller: findTestCaller,
    log: {
      warn: (...parts: unknown[]) => warnings.push(parts),
      error: (...parts: unknown[]) => failures.push(parts),
    },
  });
  const request = async (input: string | Request, init?: RequestInit) => {
    const env = peer === undefined ? {} : { server: serverFor(peer) };
    return await app.fetch(toRequest(input, init), env);
  };
  return { ...rest, app: { ...app, request }, warnings, failures };
}

function toRequest(input: string | Request, init?: RequestInit): Request {
  if (typeof input === "string") return new Request(new URL(input, "http://localhost").href, init);
  return init === undefined ? input : new Request(input, init);
}

const noGauges = {
  usersByStatus: { active: 1 },
  sessions: 0,
  rows: 0,
  pluginProcesses: 0,
  callsRunning: 0,
  runWritesWaiting: 0,
  code: {
    busy: 0,
    idle: 0,
    waiting: { run: 0, check: 0, script: 0 },
    killed: { timeout: 0, memory: 0, crash: 0, cancelled: 0 },
  },
  embeddings: null,
  serversByVersion: {},
  database: null,
  spans: null,
  logLinesLost: 0,
};

/** An authorization server without clients. */
export const noOAuth: OAuthDeps["oauth"] = {
  describe: async () => ({}),
  explainUnknownClient: () => null,
  answer: async () => Response.json({ error: "invalid_request" }, { status: 400 }),
  answerMachine: async () => null,
  findConsent: async () => null,
  allow: async () => "",
  deny: async () => "",
};

export const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

/** A server with the two methods that handlers use. */
export function serverFor(address: string): Server<undefined> {
  const server: Pick<Server<undefined>, "timeout"> & { requestIP(): { address: string } } = {
    requestIP: () => ({ address }),
    timeout() {},
  };
  // Handlers use only these methods.
  return server as unknown as Server<undefined>;
}

/** A request to /mcp that passes every guard, changed by `init`. */
export function mcpRequest({ headers, ...init }: RequestInit = {}): Request {
  const all = new Headers({
    host: "localhost:7420",
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
  });
  for (const [name, value] of new Headers(headers)) {
    if (value === "") all.delete(name);
    else all.set(name, value);
  }
  const method = init.method ?? "POST";
  const body = init.body ?? (method === "POST" ? ping : null);
  return new Request("http://localhost:7420/mcp", { ...init, method, body, headers: all });
}
