import { HubError } from "../../errors.ts";
import type { Params } from "../frames/frame.ts";
import { type MembersText, toMembers } from "../frames/write-frame.ts";
import { isSessionVersion, sessionVersions } from "../modes/protocol-versions.ts";
import type { ServerDescription } from "./server-description.ts";

/** Accepts the version the client asks for, or offers the newest one. Only the stateless mode has extensions. */
export function initialize(
  { capabilities, serverInfo }: Pick<ServerDescription, "capabilities" | "serverInfo">,
  instructions: string,
  { protocolVersion }: Params,
): MembersText {
  const isKnown = typeof protocolVersion === "string" && isSessionVersion(protocolVersion);
  const version = isKnown ? protocolVersion : sessionVersions[0];
  return toMembers({ protocolVersion: version, capabilities, serverInfo, instructions });
}

/** Runs before the request is accepted, because accepting it starts a session. */
export function findInitializeFault({ protocolVersion }: Params): HubError | null {
  if (typeof protocolVersion === "string") return null;
  return new HubError("malformed_params", '"protocolVersion" is required and must be a string.');
}
