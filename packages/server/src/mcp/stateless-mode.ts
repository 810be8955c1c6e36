import { isJsonObject } from "@hub/connector";
import { HubError } from "../errors.ts";
import { findHeaderFault } from "./check-headers.ts";
import type { Params } from "./frame.ts";
import {
  type Method,
  type ProtocolMode,
  protocolVersionHeader,
  readMeta,
} from "./protocol-mode.ts";
import { isStatelessVersion, metaKeys, statelessVersions } from "./protocol-versions.ts";
import { toMembers } from "./write-frame.ts";

/** How long a client may keep a list that only an upgrade of the hub changes. */
const cacheTtlMs = 300_000;

/** Revision 2026-07-28: every request stands alone, and results say what they are. */
export function createStatelessMode(
  methods: { discover: Method; listTools: Method; callTool: Method },
  serverInfo: Record<string, unknown>,
): ProtocolMode {
  const always = toMembers({
    resultType: "complete",
    _meta: { [metaKeys.serverInfo]: serverInfo },
  });
  // The seven tools are the same for every user, so their list may be shared.
  const cacheable = `${always},${toMembers({ ttlMs: cacheTtlMs, cacheScope: "public" })}`;
  return {
    name: "stateless",
    methods: new Map([
      ["server/discover", methods.discover],
      ["tools/list", methods.listTools],
      ["tools/call", methods.callTool],
    ]),
    findFault: (request, params, headers) =>
      findVersionFault(params, headers) ??
      findMetaFault(params) ??
      (headers && findHeaderFault(request, params, headers)),
    toResult: (method, result) => `${method === "tools/call" ? always : cacheable},${result}`,
    unknownMethodStatus: 404,
    leavingCancels: true,
  };
}

/** The version comes first: what else a request must say depends on it. */
function findVersionFault(params: Params, headers: Headers | null): HubError | null {
  const version = readMeta(params)[metaKeys.protocolVersion];
  if (typeof version !== "string") return refuseMeta(metaKeys.protocolVersion, "a string");
  const header = headers?.get(protocolVersionHeader) ?? null;
  if (headers !== null && header !== version) {
    const said = header === null ? "nothing" : `"${header.slice(0, 40)}"`;
    return new HubError(
      "header_mismatch",
      `The header MCP-Protocol-Version says ${said} and _meta says "${version.slice(0, 40)}"; both must be there and agree.`,
    );
  }
  if (isStatelessVersion(version)) return null;
  return new HubError("version_unsupported", "Unsupported protocol version", {
    detail: { supported: statelessVersions, requested: version },
  });
}

function findMetaFault(params: Params): HubError | null {
  const capabilities = readMeta(params)[metaKeys.clientCapabilities];
  return isJsonObject(capabilities) ? null : refuseMeta(metaKeys.clientCapabilities, "an object");
}

function refuseMeta(key: string, expected: string): HubError {
  return new HubError(
    "malformed_meta",
    `params._meta["${key}"] is required and must be ${expected}.`,
  );
}
