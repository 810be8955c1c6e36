import type { Json } from "@hub/connector";
import type { HubError } from "../errors.ts";
import type { CallContext } from "../operations/operations.ts";
import type { Params } from "./frames/frame.ts";
import type { MembersText } from "./frames/write-frame.ts";
import type { CacheScope } from "./tool-set.ts";

/** The members of a result; of one that is not complete, with its type. Only the stateless mode has those. */
export type Answer = MembersText | UnfinishedAnswer | StreamEnd;
export type UnfinishedAnswer = { resultType: "input_required" | "task"; members: MembersText };

/** The end of a stream of notifications, with what its `_meta` has beside the server's name. */
export type StreamEnd = { resultType: "complete"; meta: Readonly<Record<string, Json>> };

/** The stream by which a request is answered, for methods that notify their client. */
export type ReplyStream = {
  /** The id of the request, with the type that its client gave it. */
  requestId: Json;
  /** Writes a whole frame. */
  send(frame: string): void;
  /** Resolves when the client has read enough of what was written, or has gone. A sender of many frames waits for it. */
  waitForReader(): Promise<void>;
  /** Aborts when the client sends nothing more, though it may still read. Absent if it has sent one request alone. */
  ended?: AbortSignal;
};

/** A JSON-RPC method. */
export type Method = {
  /** Answers with the members of the result. Throws a HubError. `stream` is null for clients that read none. */
  answer(ctx: CallContext, params: Params, stream: ReplyStream | null): Answer | Promise<Answer>;
  /** Who may get a cached answer. Absent if answers are not cached. */
  cacheScope?: CacheScope;
  /** The param that the header `Mcp-Name` repeats in the stateless mode. Absent if there is none. */
  nameParam?: string;
  /**
   * Records a request that is refused before it is answered, and returns the failure as it was recorded. Absent if
   * refused requests are not recorded.
   */
  recordRefused?(ctx: CallContext, params: Params | null, fault: HubError): Promise<HubError>;
};

export type MethodTable = Readonly<Record<string, Method>>;

/** A part of MCP: its methods by name, for each protocol mode. */
export type Capability = {
  /** Its members of `capabilities`; none if every server has these methods. */
  advertised: Readonly<Record<string, object>>;
  /** The extensions that it is, with their settings. Only the stateless mode has them. */
  extensions?: Readonly<Record<string, object>>;
  session: MethodTable;
  stateless: MethodTable;
};

/** The methods of all capabilities in one protocol mode. */
export function joinMethods(
  capabilities: readonly Capability[],
  mode: "session" | "stateless",
): ReadonlyMap<string, Method> {
  return new Map(capabilities.flatMap((capability) => Object.entries(capability[mode])));
}
