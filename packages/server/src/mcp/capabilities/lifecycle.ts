import type { Capability } from "../capability.ts";
import { type MembersText, toMembers } from "../frames/write-frame.ts";
import { initialize } from "../methods/initialize.ts";
import type { ServerDescription } from "../methods/server-description.ts";
import { statelessVersions } from "../modes/protocol-versions.ts";
import type { ToolSet } from "../tool-set.ts";

/** How a client begins: by a handshake in the session mode, by a question in the stateless mode. */
export function createLifecycle(
  server: ServerDescription,
  { instructions }: Pick<ToolSet, "instructions">,
): Capability {
  return {
    advertised: {},
    session: {
      initialize: {
        answer: async ({ caller }, params) =>
          initialize(server, await instructions(caller), params),
      },
      ping: { answer: () => "" },
    },
    stateless: {
      "server/discover": {
        answer: async ({ caller }) => discover(server, await instructions(caller)),
        // The instructions name what the caller can use.
        cacheScope: "private",
      },
    },
  };
}

/** Answers `server/discover`. The server's name is in the result's `_meta`. */
function discover(server: ServerDescription, instructions: string): MembersText {
  const { extensions } = server;
  const capabilities = {
    ...server.capabilities,
    ...(Object.keys(extensions).length > 0 && { extensions }),
  };
  return toMembers({ supportedVersions: statelessVersions, capabilities, instructions });
}
