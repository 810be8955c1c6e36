import type { ChangeLimit } from "../../changes/change-limit.ts";
import { HubError } from "../../errors.ts";
import { findScimClient } from "../../identity/find-scim-client.ts";
import type { SpaceGuard } from "../../lib/files/space-guard.ts";
import type { Log } from "../../lib/logs/create-log.ts";
import { decodeUtf8 } from "../../lib/text/decode-utf8.ts";
import type { Timers } from "../../lib/time/timers.ts";
import { type ScimRequester, toScimActor } from "../../services/scim/scim-deps.ts";
import type { ServiceDeps } from "../../services/service-deps.ts";
import type { BodyReaders } from "../bodies/body-readers.ts";
import { staleMs } from "../bodies/slow-bodies.ts";
import {
  defineGuardedEndpoint,
  type GuardedEndpoint,
  type GuardedEndpointDeps,
  type GuardedRequest,
} from "../events/guarded-endpoint.ts";
import { checkOrigin } from "../guards/check-origin.ts";
import { parseBearer } from "../guards/parse-bearer.ts";
import { createNetworkPace, type NetworkPace } from "../queue/network-pace.ts";
import type { RequestQueue } from "../queue/request-queue.ts";
import { toUserQueueKey } from "../queue/request-queue-keys.ts";
import { recordScimFailure, toScimFailure } from "./scim-failure.ts";
import { checkScimType, readScimJson } from "./scim-json.ts";

/** What the door needs beside the guards of the server. */
export type ScimEndpointDeps = GuardedEndpointDeps & {
  /** Taken at the first request. */
  services: Pick<ServiceDeps, "store" | "config" | "now">;
  readScim: BodyReaders["readScim"];
  queue: RequestQueue;
  changes: ChangeLimit;
  space: SpaceGuard;
  timers: Timers;
  /** The hub's address for clients, without a trailing slash. */
  baseUrl: string;
  log: Pick<Log, "error" | "warn">;
};

/** For the list of routes. */
export const scimRoutes = [{ method: "ALL", path: "/scim/v2/*" }];

const root = "/scim/v2";

/** Whether a URL, as `Request` writes it, is below `/scim/v2`. */
export function isScimUrl(url: string): boolean {
  const pathStart = url.indexOf("/", "https://".length);
  if (!url.startsWith(root, pathStart)) return false;
  const after = url[pathStart + root.length];
  return after === undefined || after === "/" || after === "?";
}

/** The addresses of SCIM 2.0, with their guards in the order in which they run. */
export function createScimEndpoint(deps: ScimEndpointDeps): GuardedEndpoint {
  const pace = createNetworkPace({ now: deps.timers.now });
  const ignored = createIgnoredLog(deps.log);
  return defineGuardedEndpoint(deps, {
    door: "scim",
    loggedPath: `${root}/…`,
    addHeaders(headers) {
      headers.set("cache-control", "no-store");
      headers.set("x-content-type-options", "nosniff");
    },
    async answer(request) {
      const paced = pace.begin(request.req, request.client.ip ?? "");
      try {
        return await answer(deps, request, { paced, ignored });
      } catch (thrown) {
        const failure = paced.toRefusal(thrown);
        recordScimFailure(deps, failure);
        return toScimFailure(failure);
      }
    },
  });
}

type Parts = { paced: ReturnType<NetworkPace["begin"]>; ignored: IgnoredLog };

async function answer(
  deps: ScimEndpointDeps,
  { req, client: { ip } }: GuardedRequest,
  { paced, ignored }: Parts,
): Promise<Response> {
  checkOrigin(deps.hosts, req.headers);
  const requester = await findRequester(deps, req, ip);
  paced.accept();
  const { pathname, searchParams: query } = new URL(req.url);
  const changes = req.method !== "GET" && req.method !== "HEAD";
  if (changes) deps.changes.count(requester.client.id);
  if (req.method === "POST") deps.space.requireSpace();
  const queueKey = toUserQueueKey(requester.client.id);
  const { body, release } = await enter(deps, req, queueKey);
  try {
    const { method } = req;
    // Loaded at the first request, because most hubs have no client.
    const { answerScim } = await import("./scim-routes.ts");
    const base = `${deps.baseUrl}${root}`;
    const path = pathname.slice(root.length);
    const current = body.isLate ? await findRequester(deps, req, ip) : requester;
    return await answerScim(
      { store: deps.services.store, config: deps.services.config, now: deps.services.now },
      { requester: current, method, path, query, base, body: body.value },
      (names) => ignored.record(current.client, names),
    );
  } finally {
    release();
  }
}

/** The body after its client is known, and the permit of the request. */
async function enter(
  { readScim, queue, timers }: ScimEndpointDeps,
  req: Request,
  queueKey: ReturnType<typeof toUserQueueKey>,
): Promise<{ body: { value: unknown; isLate: boolean }; release: () => void }> {
  if (req.body === null) {
    const release = await queue.enter(queueKey, () => req.signal);
    return { body: { value: undefined, isLate: false }, release };
  }
  checkScimType(req.headers);
  const startedAt = timers.now();
  const { raw, release } = await readScim(req, queueKey);
  try {
    const value = readScimJson(decodeUtf8(raw));
    // The right may have ended while the body arrived.
    return { body: { value, isLate: timers.now() - startedAt > staleMs }, release };
  } catch (err) {
    release();
    throw err;
  }
}

async function findRequester(
  { services }: Pick<ScimEndpointDeps, "services">,
  { headers }: Request,
  ip: string | null,
): Promise<ScimRequester> {
  const { isSent, token } = parseBearer(headers.get("authorization"));
  const { store, now } = services;
  const client = token === null ? null : await findScimClient({ db: store.db, now }, { token, ip });
  if (client !== null) return { client, actor: toScimActor(client, ip) };
  throw new HubError(
    "unauthorized",
    isSent
      ? "This token is unknown, expired or revoked, or it is not accepted from this address."
      : "A token of a SCIM client is required. Send it as Authorization: Bearer TOKEN.",
  );
}

type IgnoredLog = ReturnType<typeof createIgnoredLog>;

/** Says once what the hub does not keep: each request of a provider has it again. */
function createIgnoredLog(log: Pick<Log, "warn">) {
  const namesMax = 200;
  const known = new Set<string>();
  return {
    record({ id, name }: { id: string; name: string }, names: readonly string[]) {
      const found = names.map((one) => one.slice(0, 100));
      const added = found.filter((one) => !known.has(`${id} ${one}`));
      if (added.length === 0 || known.size >= namesMax) return;
      for (const one of added.slice(0, namesMax)) known.add(`${id} ${one}`);
      log.warn(
        { scimClient: name, attributes: added.slice(0, 20) },
        "A SCIM client sends attributes that the hub does not keep",
      );
    },
  };
}
