import { isJsonObject } from "@hub/connector";
import type {
  JSONRPCMessage,
  Result,
  StandardSchemaV1,
  Transport,
} from "@modelcontextprotocol/client";
import type { OpenRequests } from "../messages/open-requests.ts";

/** Under this name of `_meta`, a result that stands for another one holds it. */
const keptKey = "hub/kept-result";

/**
 * Stands for the result of each of these methods. The client library checks it as if it came from the
 * server. It would refuse a whole list for one bad tool, with a text for programmers, and take longer
 * for a call than the rest of the hub.
 */
const stands: Record<string, object> = {
  "tools/list": { tools: [], ttlMs: 0, cacheScope: "private" },
  "tools/call": { content: [] },
};

/**
 * Lets the results of lists and calls of tools pass the client library unread. `findKept` returns them as the
 * server sent them: their readers check them. Records the hub's requests and answers in `requests`.
 */
export function keepResults(transport: Transport, requests: OpenRequests): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    const isAnswer = !Array.isArray(message) && !recordRequest(message, options?.requestSignal);
    const sent = send(message, options);
    if (isAnswer) requests.recordAnswer(sent);
    return sent;
  };

  /** Whether it is a request or a notification. */
  function recordRequest(message: JSONRPCMessage, signal: AbortSignal | undefined): boolean {
    if (!("method" in message)) return false;
    const { method, params } = message;
    if (method === "notifications/cancelled") requests.remove(params?.requestId);
    if (!("id" in message)) return true;
    const { id } = message;
    requests.add(id, method);
    // The newer protocol cancels without a message.
    signal?.addEventListener("abort", () => requests.remove(id), { once: true });
    return true;
  }

  function replace(message: JSONRPCMessage): JSONRPCMessage {
    if ("method" in message) return message;
    const method = requests.findMethod(message.id);
    requests.remove(message.id);
    if (method === undefined || !Object.hasOwn(stands, method)) return message;
    if (!("result" in message)) return message;
    const { resultType } = message.result;
    // Of the newer protocol alone. The library reads the other types, such as a question to the user.
    if (resultType !== undefined && resultType !== "complete") return message;
    const _meta = { [keptKey]: message.result };
    const stand = { ...stands[method], ...(resultType !== undefined && { resultType }), _meta };
    return { ...message, result: stand };
  }

  let handler: Transport["onmessage"];
  Object.defineProperty(transport, "onmessage", {
    get: () => handler,
    set(given: Transport["onmessage"]) {
      handler = given && ((message, extra) => given(replace(message), extra));
    },
  });
}

/**
 * Lets any result pass. With the library's own schema, each request first checks that the schema refuses
 * an empty result, and writes its refusal as a text.
 */
export const anyResult: StandardSchemaV1<unknown, Result> = {
  "~standard": {
    version: 1,
    vendor: "hub",
    // Safe: the library has checked that it is an object.
    validate: (value) => ({ value: value as Result }),
  },
};

/** The result that the server sent. */
export function findKept(result: { _meta?: object | undefined }): Record<string, unknown> {
  const kept = Object.entries(result._meta ?? {}).find(([name]) => name === keptKey)?.[1];
  return isJsonObject(kept) ? kept : {};
}
