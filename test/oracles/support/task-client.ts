import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  type ApplicationInputCallbacks,
  createApplicationInputHandler,
  createTaskSessionFromClient,
  type RawClientDispatch,
  type TaskEnabledSession,
} from "@modelcontextprotocol/ext-tasks/client";

const protocolVersion = "2026-07-28";
const tasksExtension = "io.modelcontextprotocol/tasks";
const clientInfo = { name: "hub-test", version: "1.0.0" };

type ClientOptions = {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** What the client declares of elicitation. */
  elicitation: Readonly<Record<string, Record<string, never>>>;
  /** Answers what the hub asks of its user. */
  onElicitation?: ApplicationInputCallbacks["elicitation"];
};

export type TaskClient = AsyncDisposable & {
  session: TaskEnabledSession;
  /** The methods of the requests of tasks that the client has sent, in order. */
  sent: string[];
  /** From now on no `tasks/get` is answered, so that only notifications say how a task goes on. */
  holdReads(): void;
  /** Opens the stream of notifications about these tasks. */
  listen(taskIds: string[]): Promise<{ closed: Promise<string> }>;
};

/** The client of the extension, over the official client library. Both are of the revision 2026-07-28. */
export async function openTaskClient(options: ClientOptions): Promise<TaskClient> {
  const { url, headers, elicitation, onElicitation } = options;
  const capabilities = { elicitation, extensions: { [tasksExtension]: {} } };
  const client = new Client(clientInfo, {
    capabilities,
    versionNegotiation: { mode: { pin: protocolVersion } },
  });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }),
  );
  const sent: string[] = [];
  let areReadsHeld = false;
  const dispatch = createDispatch(options);
  const session = createTaskSessionFromClient(client, {
    endpointId: "hub",
    rawDispatch(request, given) {
      const { method } = Object(request);
      sent.push(method);
      if (!areReadsHeld || method !== "tasks/get") return dispatch(request, given);
      return new Promise((_, reject) => {
        given?.signal?.addEventListener("abort", () => reject(given.signal?.reason));
      });
    },
    v2RequestFraming: { protocolVersion, clientInfo, clientCapabilities: capabilities },
    ...(onElicitation && {
      onInputRequest: createApplicationInputHandler({
        elicitation: onElicitation,
        sampling: refuseInput,
        roots: refuseInput,
      }),
    }),
  });
  return {
    session,
    sent,
    holdReads() {
      areReadsHeld = true;
    },
    async listen(taskIds) {
      // The library sends a filter of an extension as it is, though its types do not have it.
      const filter: object = { taskIds };
      return await client.listen(filter);
    },
    async [Symbol.asyncDispose]() {
      await session.close();
      await client.close();
    },
  };
}

function refuseInput(): never {
  throw new Error("The hub asks for no such input");
}

/** What a host does for the client of the extension: it sends a request and reads its answer. */
function createDispatch({ url, headers }: ClientOptions): RawClientDispatch {
  let id = 0;
  return async (request, options) => {
    const { method, params } = Object(request);
    id += 1;
    const response = await fetch(`${url}/mcp`, {
      method: "POST",
      headers: {
        ...headers,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": protocolVersion,
        "mcp-method": method,
        ...(method === "tools/call" && { "mcp-name": params.name }),
        ...options?.context?.headers,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
      ...(options?.signal && { signal: options.signal }),
    });
    const text = await response.text();
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
    const last = isStream ? [...text.matchAll(/^data: (.+)$/gm)].at(-1)?.[1] : text;
    const { result, error } = JSON.parse(last ?? "");
    if (error !== undefined) return { kind: "error", error };
    return { kind: "result", result: withShortInterval(result) };
  };
}

/** The hub asks for seconds between two looks at a task that waits for a person. Here no person is waited for. */
function withShortInterval<Result>(result: Result): Result {
  const given = Object(result);
  return "pollIntervalMs" in given ? { ...given, pollIntervalMs: 50 } : result;
}
