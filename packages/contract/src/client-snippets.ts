/** The configuration with which one kind of client connects to the hub. */
export type ClientSnippet = { client: string; location: string; text: string };

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
      location: "in a terminal",
      text: `claude mcp add --transport http hub ${mcpUrl} --header "${bearer}"`,
    },
    {
      client: "Cursor",
      location: "~/.cursor/mcp.json",
      text: json({ mcpServers: { hub: { type: "http", url: mcpUrl, headers } } }),
    },
    {
      client: "Gemini CLI",
      location: "~/.gemini/settings.json",
      text: json({ mcpServers: { hub: { httpUrl: mcpUrl, headers } } }),
    },
    {
      client: "Codex",
      location: "~/.codex/config.toml, with the token in the variable HUB_TOKEN",
      text: `[mcp_servers.hub]\nurl = "${mcpUrl}"\nbearer_token_env_var = "HUB_TOKEN"`,
    },
  ];
}

/** A further client of the page `/profile/mcp`, with the name of its tab in the address. */
export type FurtherSnippet = ClientSnippet & { key: string };

/** The clients beyond the four. `YOUR_TOKEN` is the place for the token, as above. */
export function toFurtherSnippets(mcpUrl: string): FurtherSnippet[] {
  const headers = { Authorization: "Bearer YOUR_TOKEN" };
  const json = (value: unknown) => JSON.stringify(value, null, 2);
  return [
    {
      key: "vscode",
      client: "VS Code",
      location: ".vscode/mcp.json, or mcp.json of the user (MCP: Open User Configuration)",
      text: json({ servers: { hub: { type: "http", url: mcpUrl, headers } } }),
    },
    {
      key: "claude",
      client: "Claude Desktop and claude.ai",
      location:
        "Settings → Connectors → Add custom connector. It signs in by OAuth, from the provider's servers: the address must be public",
      text: mcpUrl,
    },
    {
      key: "opencode",
      client: "opencode",
      location: "~/.config/opencode/opencode.json",
      text: json({ mcp: { hub: { type: "remote", url: mcpUrl, headers } } }),
    },
    {
      key: "zed",
      client: "Zed",
      location: "~/.config/zed/settings.json",
      text: json({ context_servers: { hub: { url: mcpUrl, headers } } }),
    },
    {
      key: "stdio",
      client: "A client with stdio only",
      location: "the command of the client's entry. It opens the browser for OAuth",
      text: `npx mcp-remote ${mcpUrl}`,
    },
    {
      key: "curl",
      client: "curl",
      location: "in a terminal",
      text: `curl ${mcpUrl} -H "Authorization: Bearer YOUR_TOKEN" -H "Content-Type: application/json" -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'`,
    },
  ];
}

/** Links that open a program on the user's computer, which then asks whether to add the hub. */
export function toInstallLinks(mcpUrl: string): Array<{ name: string; href: string }> {
  const cursor = new URLSearchParams({
    name: "hub",
    config: btoa(JSON.stringify({ url: mcpUrl })),
  });
  const vscode = encodeURIComponent(JSON.stringify({ name: "hub", type: "http", url: mcpUrl }));
  return [
    { name: "Add to Cursor", href: `cursor://anysphere.cursor-deeplink/mcp/install?${cursor}` },
    { name: "Add to VS Code", href: `vscode:mcp/install?${vscode}` },
  ];
}
