import type { Capability } from "../capability.ts";
import { type MembersText, toMembers } from "../frames/write-frame.ts";
import { initialize } from "../methods/initialize.ts";
import type { ServerDescription } from "../methods/server-description.ts";
import { statelessVersions } from "../modes/protocol-versions.ts";
import type { CacheScope } from "../tool-set.ts";

/** How a client begins: by a handshake in the session mode, by a question in the stateless mode. */
export function createLifecycle(server: ServerDescription, cacheScope: CacheScope): Capability {
  return {
    advertised: {},
    session: {
      initialize: { answer: (_ctx, params) => initialize(server, params) },
      ping: { answer: () => "" },
    },
    stateless: { "server/discover": { answer: () => discover(server), cacheScope } },
  };
}

/** Answers `server/discover`. The server's name is in the result's `_meta`. */
function discover({ capabilities, instructions }: ServerDescription): MembersText {
  return toMembers({ supportedVersions: statelessVersions, capabilities, instructions });
}
