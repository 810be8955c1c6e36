import { isJsonObject } from "@hub/connector";
import { HubError } from "../../errors.ts";
import type { Method } from "../capability.ts";
import { findHeaderFault } from "../frames/check-headers.ts";
import type { Params } from "../frames/frame.ts";
import { toMembers } from "../frames/write-frame.ts";
import type { CacheScope } from "../tool-set.ts";
import { type ProtocolMode, protocolVersionHeader, readMeta } from "./protocol-mode.ts";
import { isStatelessVersion, metaKeys, statelessVersions } from "./protocol-versions.ts";

/** How long clients may cache results that change only when the hub is upgraded. */
const cacheTtlMs = 300_000;

/** Revision 2026-07-28: every request is self-contained, and results carry their type. */
export function createStatelessMode(
  methods: ReadonlyMap<string, Method>,
  serverInfo: Record<string, unknown>,
): ProtocolMode {
  const meta = toMembers({ _meta: { [metaKeys.serverInfo]: serverInfo } });
  const always = `${toMembers({ resultType: "complete" })},${meta}`;
  const toCacheable = (cacheScope: CacheScope) =>
    `${always},${toMembers({ ttlMs: cacheTtlMs, cacheScope })}`;
  const cacheable = { public: toCacheable("public"), private: toCacheable("private") };
  return {
    name: "stateless",
    methods,
    findFault: (request, params, headers) =>
      findVersionFault(params, headers) ??
      findMetaFault(params) ??
      (headers && findHeaderFault(request, methods.get(request.method), params, headers)),
    toResult({ cacheScope }, answer) {
      if (typeof answer !== "string") {
        const type = toMembers({ resultType: answer.resultType });
        if (answer.resultType !== "complete") return `${type},${meta},${answer.members}`;
        const both = { [metaKeys.serverInfo]: serverInfo, ...answer.meta };
        return `${type},${toMembers({ _meta: both })}`;
      }
      const common = cacheScope === undefined ? always : cacheable[cacheScope];
      return answer === "" ? common : `${common},${answer}`;
    },
    unknownMethodStatus: 404,
    disconnectCancels: true,
  };
}

/** Checked first, because the other requirements depend on the version. */
function findVersionFault(params: Params, headers: Headers | null): HubError | null {
  const version = readMeta(params)[metaKeys.protocolVersion];
  if (typeof version !== "string") return refuseMeta(metaKeys.protocolVersion, "a string");
  const header = headers?.get(protocolVersionHeader) ?? null;
  if (headers !== null && header !== version) {
    const shown = header === null ? "missing" : `"${header.slice(0, 40)}"`;
    return new HubError(
      "header_mismatch",
      `The header MCP-Protocol-Version is ${shown} and the version in _meta is "${version.slice(0, 40)}". Both are required and must be equal.`,
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
