import { startEmulate } from "./start-emulate.ts";

export type SlackService = AsyncDisposable & { apiUrl: string; token: string };

const token = "xoxb-emulated-Zk4tV9pQx7Lw2Rn8";

/** Slack's Web API of an emulator by others, with the channels `general` and `random`. */
export async function startSlackService(home: string): Promise<SlackService> {
  const scopes = [
    ...["chat:write", "channels:read", "channels:history", "groups:read", "im:write"],
    ...["im:read", "mpim:write", "users:read", "reactions:write", "reactions:read"],
  ];
  const emulated = await startEmulate(home, "slack", {
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
  });
  return { ...emulated, apiUrl: `${emulated.url}/api/`, token };
}
