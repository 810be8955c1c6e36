import { type MembersText, toMembers } from "../frames/write-frame.ts";
import { statelessVersions } from "../modes/protocol-versions.ts";
import type { ServerDescription } from "./server-description.ts";

/** Answers `server/discover`. The server's name is in the result's `_meta`. */
export function discover({ capabilities, instructions }: ServerDescription): MembersText {
  return toMembers({ supportedVersions: statelessVersions, capabilities, instructions });
}
