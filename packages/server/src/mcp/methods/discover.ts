import { statelessVersions } from "../protocol-versions.ts";
import { type MembersText, toMembers } from "../write-frame.ts";
import type { ServerDescription } from "./server-description.ts";

/** What `initialize` says, for clients that skip it. The server's name travels in `_meta` there. */
export function discover({ capabilities, instructions }: ServerDescription): MembersText {
  return toMembers({ supportedVersions: statelessVersions, capabilities, instructions });
}
