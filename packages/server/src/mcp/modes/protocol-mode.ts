import { isJsonObject } from "@hub/connector";
import type { HubError } from "../../errors.ts";
import type { Answer, Method } from "../capability.ts";
import type { NotificationFrame, Params, RequestFrame } from "../frames/frame.ts";
import type { MembersText } from "../frames/write-frame.ts";
import { isStatelessVersion, metaKeys } from "./protocol-versions.ts";

/** A family of MCP revisions. Both modes are thin: they share the methods that answer. */
export type ProtocolMode = {
  name: "session" | "stateless";
  methods: ReadonlyMap<string, Method>;
  /** The first fault of a request, or null. `headers` is null over stdio. */
  findFault(request: RequestFrame, params: Params, headers: Headers | null): HubError | null;
  /** Adds the members that every result of this mode must have. */
  toResult(method: Method, answer: Answer): MembersText;
  unknownMethodStatus: 200 | 404;
  /** Whether a disconnect cancels the client's request. */
  disconnectCancels: boolean;
};

export const protocolVersionHeader = "mcp-protocol-version";

/**
 * Whether a message is in the stateless mode. Such messages name their version in `_meta`. A message
 * that names the version in the header only is stateless too, and is refused as such.
 */
export function isStateless(
  { method, params }: RequestFrame | NotificationFrame,
  headers: Headers | null,
): boolean {
  const claimed = readMeta(params)[metaKeys.protocolVersion];
  // `initialize` belongs to the session mode, so only a known stateless version overrides that.
  if (method === "initialize") return isStatelessVersion(claimed);
  if (claimed !== undefined) return true;
  const promised = headers?.get(protocolVersionHeader) ?? null;
  return promised !== null && isStatelessVersion(promised);
}

const noMeta: Params = {};

/** The `_meta` of a message's params; empty if it has none. */
export function readMeta(params: Params | null): Params {
  const meta = params?._meta;
  return isJsonObject(meta) ? meta : noMeta;
}
