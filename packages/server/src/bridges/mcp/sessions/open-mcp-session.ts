import type {
  Client,
  ClientCapabilities,
  RequestOptions,
  Transport,
} from "@modelcontextprotocol/client";
import type { Elicitation } from "../../../connectors/elicitation.ts";
import type { Log } from "../../../plugins/process/plugin-log.ts";
import { raceAbort } from "../../../plugins/process/race-abort.ts";
import { type Asking, elicit } from "../elicitation/elicit.ts";
import type { OpenRequests } from "../messages/open-requests.ts";
import { keepResults } from "../results/keep-results.ts";
import { readDetails } from "../results/to-upstream-error.ts";
import type { OpenCall, SessionCall } from "./session-fetch.ts";

/** The transport of one session, and how it is connected. */
export type SessionLink = {
  transport: Transport;
  requests: OpenRequests;
  connectMs: number;
  /** Whether to try the newer protocol first. */
  mode: "auto" | "legacy";
  /** Time for a server of the older protocol to answer the first request of the newer one. */
  probeMs: number;
  beginCall(call: SessionCall): OpenCall;
  /** Whether the server has given the session an id, which it can forget. */
  hasSessionId(): boolean;
  /** Whether answers take their memory from the call while they are read. */
  takesMemory: boolean;
  /** Tells the server that the session ends. */
  terminate(): Promise<void>;
  /** A better reason of a failure than the library's; null if there is none. */
  findFailure(): Error | null;
  /** Whether a start for the older protocol can succeed after this failure. Absent without a program. */
  mayBeOlder?(): boolean;
  /** The failure of a connect with what the program wrote. Absent without a program. */
  explainStart?(thrown: unknown): unknown;
};

/** The context of a request: the call that it is made for. */
export type RequestContext = SessionCall & Asking & { signal: AbortSignal };

/** A session with an MCP server. */
export type McpSession = {
  client: Client;
  /** How often the server has said that its tools have changed. */
  countToolChanges(): number;
  isOpen(): boolean;
  /** Resolves when it has ended, on either side. */
  ended: Promise<void>;
  /** Sends one request; `send` passes the options on. Its answer is closed with it. */
  request<T>(ctx: RequestContext, send: (options: RequestOptions) => Promise<T>): Promise<T>;
  /** Whether answers take their memory from the call while they are read. */
  takesMemory: boolean;
  /** Whether the server has forgotten the session, so that it has not run the request. */
  isForgotten(thrown: unknown): boolean;
  close(): Promise<void>;
};

export type SessionDeps = {
  log: Log;
  rowId: string;
  onToolsChanged(): void;
  /** What the clients of the session show; null if its users are asked nothing. */
  shows: Elicitation["shows"] | null;
  /** The hosts of pages that an admin has approved for the row. */
  pageHosts: ReadonlySet<string>;
};

/** The library's own limit is shorter than that of an operation, which aborts the signal. */
const requestMs = 60 * 60_000;

const terminateMs = 2000;

/** The events of a stream without a call are short, or they end it. */
const unlimited = { take: () => null, takeArrived: () => true };

/** A server that ends its streams at once must not be asked all the time. */
const listensMax = 10;

/** The same as the client of the call: a server that is promised more could ask in a way that reaches no person. */
function toCapabilities(shows: SessionDeps["shows"]): ClientCapabilities {
  if (shows === null) return {};
  return { elicitation: { ...(shows.form && { form: {} }), ...(shows.url && { url: {} }) } };
}

/**
 * Servers of the newer protocol tell of changes only on a stream that is asked for. The hub discovers
 * again every six hours in any case, so a stream that does not open is no failure.
 */
async function listenForChanges(
  { log, rowId }: SessionDeps,
  client: Client,
  link: SessionLink,
): Promise<void> {
  const isOffered = client.getServerCapabilities()?.tools?.listChanged === true;
  if (client.getProtocolEra() !== "modern" || !isOffered) return;
  for (let count = 0; count < listensMax; count += 1) {
    const call = link.beginCall({ recordHttpStatus() {}, memory: unlimited });
    try {
      const options = { headers: call.headers, timeout: link.connectMs };
      const stream = await client.listen({ toolsListChanged: true }, options);
      if ((await stream.closed) !== "remote") return;
    } catch (err) {
      log.info({ row: rowId, err }, "An MCP server does not tell when its tools change");
      return;
    } finally {
      call.end();
    }
  }
}

/** Connects and negotiates the protocol version. Rejects with the library's error. */
export async function openSession(
  deps: SessionDeps,
  link: SessionLink,
  signal: AbortSignal,
): Promise<McpSession> {
  const { Client, ProtocolError, ProtocolErrorCode } = await import("@modelcontextprotocol/client");
  const client = new Client(
    { name: "hub", version: "1" },
    {
      capabilities: toCapabilities(deps.shows),
      versionNegotiation: { mode: link.mode, probe: { timeoutMs: link.probeMs } },
      // What a server of the newer protocol asks is read with the result of its tool.
      inputRequired: { autoFulfill: false },
    },
  );
  const asking: Set<RequestContext> = new Set();
  if (deps.shows !== null) {
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      const answer = await elicit(asking, params, deps.pageHosts);
      if ("refused" in answer) {
        deps.log.info({ row: deps.rowId, reason: answer.refused }, "A question was not passed on");
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, answer.refused);
      }
      return answer;
    });
  }
  const logged = new Set<string>();
  // Sampling and roots, and questions where no user can be asked: the hub has no model and no files to offer.
  client.fallbackRequestHandler = async ({ method }) => {
    const name = method.slice(0, 100);
    if (!logged.has(name) && logged.size < 10) {
      logged.add(name);
      deps.log.info({ row: deps.rowId, method: name }, "An MCP server's request was not answered");
    }
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, "The hub does not support this.");
  };
  let toolChanges = 0;
  client.setNotificationHandler("notifications/tools/list_changed", () => {
    toolChanges += 1;
    deps.onToolsChanged();
  });
  const { promise: ended, resolve: onEnd } = Promise.withResolvers<void>();
  let isOpen = true;
  client.onclose = () => {
    isOpen = false;
    onEnd();
  };
  keepResults(link.transport, link.requests);
  try {
    await raceAbort(client.connect(link.transport, { timeout: link.connectMs, signal }), signal);
  } catch (thrown) {
    await client.close().catch(() => {});
    await link.transport.close().catch(() => {});
    throw link.explainStart?.(thrown) ?? link.findFailure() ?? thrown;
  }
  listenForChanges(deps, client, link);
  return {
    client,
    countToolChanges: () => toolChanges,
    isOpen: () => isOpen,
    takesMemory: link.takesMemory,
    ended,
    async request(ctx, send) {
      const { signal: callSignal, ...call } = ctx;
      const { headers, lost, end } = link.beginCall(call);
      asking.add(ctx);
      try {
        return await send({
          headers,
          timeout: requestMs,
          signal: AbortSignal.any([callSignal, lost]),
        });
      } catch (thrown) {
        callSignal.throwIfAborted();
        if (lost.aborted) throw lost.reason;
        const isClosed = readDetails(thrown).code === "CONNECTION_CLOSED";
        throw (isClosed ? link.findFailure() : null) ?? thrown;
      } finally {
        asking.delete(ctx);
        end();
      }
    },
    isForgotten(thrown) {
      if (client.getProtocolEra() === "modern" || !link.hasSessionId()) return false;
      const { status, text } = readDetails(thrown);
      // The specification says 404. Servers of the official examples say 400 with these words.
      return status === 404 || (status === 400 && /session/i.test(text.slice(0, 1000)));
    },
    async close() {
      if (!isOpen) return;
      const isLong = AbortSignal.timeout(terminateMs);
      await raceAbort(link.terminate(), isLong).catch(() => {});
      await client.close().catch(() => {});
      isOpen = false;
      onEnd();
    },
  };
}
