import { isJsonObject } from "@hub/connector";
import type { HubError } from "../errors.ts";
import type { CallContext } from "../operations/operations.ts";
import type { NotificationFrame, Params, RequestFrame } from "./frame.ts";
import { isStatelessVersion, metaKeys } from "./protocol-versions.ts";
import type { MembersText } from "./write-frame.ts";

/** Answers one method: the members of its result. Throws a HubError. */
export type Method = (call: CallContext, params: Params) => MembersText | Promise<MembersText>;

/** One way of speaking MCP. Both modes are thin: what they answer comes from the same methods. */
export type ProtocolMode = {
  name: "session" | "stateless";
  methods: ReadonlyMap<string, Method>;
  /** Null, or what keeps this request from being read. `headers` is null where there are none. */
  findFault(request: RequestFrame, params: Params, headers: Headers | null): HubError | null;
  /** Adds to a result what this mode's results must have. */
  toResult(method: string, result: MembersText): MembersText;
  unknownMethodStatus: 200 | 404;
  /** Whether a client that leaves has thereby cancelled its request. */
  leavingCancels: boolean;
};

export const protocolVersionHeader = "mcp-protocol-version";

/**
 * Tells which mode a message is in: the stateless one says so in `_meta` of every request. A message
 * without that is of the session mode, unless its header promised the other one.
 */
export function isStateless(
  { method, params }: RequestFrame | NotificationFrame,
  headers: Headers | null,
): boolean {
  const claimed = readMeta(params)[metaKeys.protocolVersion];
  // Only a session starts with this, so it takes a clear claim to mean something else by it.
  if (method === "initialize") return isStatelessVersion(claimed);
  if (claimed !== undefined) return true;
  const promised = headers?.get(protocolVersionHeader) ?? null;
  return promised !== null && isStatelessVersion(promised);
}

/** The `_meta` of a message's params; empty where there is none. */
export function readMeta(params: Params | null): Params {
  const meta = params?._meta;
  return isJsonObject(meta) ? meta : {};
}
