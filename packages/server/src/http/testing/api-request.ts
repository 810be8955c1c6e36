import { commandLineActor } from "../../identity/local-admin.ts";
import { openEventStream } from "../../lib/streams/event-stream.ts";
import { ada, openTestMcp } from "../../mcp/testing/open-test-mcp.ts";
import type { ServiceDeps } from "../../services/service-deps.ts";
import type { ApiRequest } from "../api/api-request.ts";

/** A request for one endpoint, and a record of what the endpoint does with its connection. */
export function createApiRequest({
  services = {},
  ...given
}: Partial<Omit<ApiRequest, "services">> & { services?: Partial<ServiceDeps> } = {}) {
  const { timers } = openTestMcp();
  const faults: unknown[] = [];
  /** The number of times the connection was held open and released. */
  const holds = { begun: 0, ended: 0 };
  const req: ApiRequest = {
    caller: ada,
    actor: commandLineActor,
    // Each test passes the services that its endpoint uses.
    services: services as ServiceDeps,
    params: {},
    query: {},
    body: "",
    bodyType: "",
    async *readFile() {},
    signal: new AbortController().signal,
    baseUrl: "https://hub.example",
    localUrl: "http://127.0.0.1:7420",
    ip: null,
    userAgent: null,
    wantsEvents: false,
    holdOpen() {
      holds.begun += 1;
      return () => {
        holds.ended += 1;
      };
    },
    openEvents: (onDisconnect) => openEventStream({ timers }, onDisconnect),
    countStream: () => () => {},
    checkAgain: async () => {},
    checkRight: async () => {},
    after: timers.after,
    recordFault: (fault) => faults.push(fault),
    sessionId: null,
    csrfToken: null,
    ...given,
  };
  return { req, faults, holds, timers };
}

/** The data of each event of an answer. */
export async function readEventData(response: Response): Promise<unknown[]> {
  const lines = (await response.text()).split("\n").filter((line) => line.startsWith("data: "));
  return lines.map((line) => JSON.parse(line.slice("data: ".length)));
}
