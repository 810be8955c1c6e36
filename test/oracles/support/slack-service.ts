import { join } from "node:path";
import { collectText } from "../../support/collect-text.ts";
import { findFreePort } from "../../support/free-port.ts";
import { spawnNode } from "./run-node.ts";

export type SlackService = AsyncDisposable & { apiUrl: string; token: string };

const token = "xoxb-emulated-0123456789";

/** Slack's Web API of an emulator by others, with the channels `general` and `random`. */
export async function startSlackService(home: string): Promise<SlackService> {
  const seed = join(home, "emulate-slack.json");
  const scopes = [
    ...["chat:write", "channels:read", "channels:history", "groups:read", "im:write"],
    ...["im:read", "mpim:write", "users:read", "reactions:write", "reactions:read"],
  ];
  await Bun.write(
    seed,
    JSON.stringify({
      slack: {
        team: { name: "Work", domain: "work" },
        users: [
          { name: "ada", real_name: "Ada Lovelace", email: "ada@example.com" },
          { name: "ben", real_name: "Ben", email: "ben@example.com" },
        ],
        channels: [{ name: "general" }, { name: "random" }],
        bots: [{ name: "hubbot" }],
        tokens: [{ token, user: "ada", scopes }],
        strict_scopes: true,
      },
    }),
  );
  const port = String(await findFreePort());
  const args = ["start", "--service", "slack", "--port", port, "--seed", seed];
  const child = spawnNode("emulate/dist/index.js", args, home);
  const output = collectText(child.stdout);
  const stop = async () => {
    child.kill();
    await child.exited;
  };
  try {
    await output.waitForMatch(/Ready/);
  } catch (cause) {
    await stop();
    throw new Error(`The emulator did not start: ${await child.stderr.text()}`, { cause });
  }
  return { apiUrl: `http://127.0.0.1:${port}/api/`, token, [Symbol.asyncDispose]: stop };
}
