import type { Server } from "bun";
import { type HubError, toHubError } from "../../errors.ts";
import type { Metrics } from "../../lib/metrics/metrics.ts";
import type { ClientFinder } from "../clients/find-client.ts";
import type { Client } from "../clients/http-client.ts";
import type { AnsweredHosts } from "../guards/answered-hosts.ts";
import { checkHost } from "../guards/check-host.ts";
import { type ProblemDeps, toProblem } from "../present-problem.ts";

export type GuardedEndpointDeps = ProblemDeps & {
  hosts: AnsweredHosts;
  findClient: ClientFinder;
  metrics: Pick<Metrics, "countRequest">;
};

/** A request whose Host header was checked. */
export type GuardedRequest = {
  req: Request;
  /** Absent in tests that call the endpoint without a socket. */
  server: Server<undefined> | undefined;
  client: Client;
  /** Headers that the door adds to the answer, also if it is a refusal. */
  added: Headers;
};

/** A door of the server: requests to some addresses that the router does not handle. */
type GuardedEndpointSpec = {
  /** Its name in the metrics. */
  door: "mcp" | "webhook" | "scim";
  /** The path as the log shows it. It is not that of the request, which may be a secret. */
  loggedPath: string;
  /** Adds headers to each answer, also to a refusal. */
  addHeaders?(headers: Headers, failure: HubError | null): void;
  answer(request: GuardedRequest): Promise<Response>;
};

export type GuardedEndpoint = (req: Request, server?: Server<undefined>) => Promise<Response>;

/**
 * What each door has in common, in the order in which it runs: the request id, the client, the Host
 * header, then the door's own guards and answer. A failure becomes an answer, and each answer is counted.
 */
export function defineGuardedEndpoint(
  deps: GuardedEndpointDeps,
  { door, loggedPath, addHeaders, answer }: GuardedEndpointSpec,
): GuardedEndpoint {
  const { hosts, findClient, metrics } = deps;

  return async (req, server) => {
    const requestId = crypto.randomUUID();
    let response: Response;
    let failure: HubError | null = null;
    const added = new Headers();
    try {
      const client = findClient(req, server);
      checkHost(hosts, client);
      response = await answer({ req, server, client, added });
    } catch (thrown) {
      failure = toHubError(thrown);
      response = toProblem(deps, failure, { path: loggedPath, requestId });
    }
    const { headers } = response;
    addHeaders?.(headers, failure);
    // To iterate over no headers costs some microseconds.
    if (added.count > 0) for (const [name, value] of added) headers.append(name, value);
    headers.set("X-Request-Id", requestId);
    metrics.countRequest(door, response.status);
    return response;
  };
}

/**
 * For answers whose content comes from others: it never runs as a page of the hub, since the policy gives
 * it an origin of its own, without scripts.
 */
export function addForeignHeaders(headers: Headers): void {
  headers.set("content-security-policy", "sandbox; default-src 'none'");
  headers.set("x-content-type-options", "nosniff");
  headers.set("referrer-policy", "no-referrer");
}
