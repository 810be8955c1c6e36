/** The configuration with which one kind of client connects to the hub. */
export type ClientSnippet = { client: string; place: string; text: string };

/**
 * The four snippets of the page `/profile/mcp`. Clients with OAuth need only the address. In the
 * others, `YOUR_TOKEN` is the place for the token.
 */
export function toClientSnippets(mcpUrl: string): ClientSnippet[] {
  const bearer = "Authorization: Bearer YOUR_TOKEN";
  const headers = { Authorization: "Bearer YOUR_TOKEN" };
  const json = (value: unknown) => JSON.stringify(value, null, 2);
  return [
    {
      client: "Claude Code",
      place: "in a terminal",
      text: `claude mcp add --transport http hub ${mcpUrl} --header "${bearer}"`,
    },
    {
      client: "Cursor",
      place: "~/.cursor/mcp.json",
      text: json({ mcpServers: { hub: { type: "http", url: mcpUrl, headers } } }),
    },
    {
      client: "Gemini CLI",
      place: "~/.gemini/settings.json",
      text: json({ mcpServers: { hub: { httpUrl: mcpUrl, headers } } }),
    },
    {
      client: "Codex",
      place: "~/.codex/config.toml, with the token in the variable HUB_TOKEN",
      text: `[mcp_servers.hub]\nurl = "${mcpUrl}"\nbearer_token_env_var = "HUB_TOKEN"`,
    },
  ];
}
