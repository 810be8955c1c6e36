import { HubError } from "../../errors.ts";
import type { Method } from "../capability.ts";
import { findInitializeFault } from "../methods/initialize.ts";
import { type ProtocolMode, protocolVersionHeader } from "./protocol-mode.ts";
import { isSessionVersion, sessionVersions } from "./protocol-versions.ts";

/** Revisions 2024-11-05 to 2025-11-25: a handshake, then plain requests and results. */
export function createSessionMode(methods: ReadonlyMap<string, Method>): ProtocolMode {
  return {
    name: "session",
    methods,
    findFault: ({ method }, params, headers) =>
      method === "initialize" ? findInitializeFault(params) : findVersionFault(headers),
    toResult(_method, answer) {
      if (typeof answer === "string") return answer;
      throw new Error("The session mode has no results that are not complete.");
    },
    unknownMethodStatus: 200,
    // Clients of this mode cancel with a notification. A broken connection is not a cancellation.
    disconnectCancels: false,
  };
}

function findVersionFault(headers: Headers | null): HubError | null {
  // A missing header means 2025-03-26, which is answered like the other versions.
  const version = headers?.get(protocolVersionHeader) ?? null;
  if (version === null || isSessionVersion(version)) return null;
  return new HubError(
    "invalid_request",
    `MCP-Protocol-Version: this server does not support "${version.slice(0, 40)}". Send initialize again with one of ${sessionVersions.join(", ")}.`,
  );
}
