import { resolveLink } from "./resolve-link.ts";

type LlmsDeps = {
  /** The index of the documentation, `docs/README.md`. */
  index: string;
  /** The address of the endpoint for MCP clients. */
  mcpUrl: string;
  /** The address of a page, such as `guide/backup`. */
  toUrl: (topic: string) => string;
};

/** `llms.txt` (llmstxt.org): what the hub is, how a client connects, and links to the pages of the documentation. */
export function toLlmsText({ index, mcpUrl, toUrl }: LlmsDeps): string {
  return `# Hub

> Hub is a self-hosted service between systems and LLM clients. An admin configures rows, such as a REST API with its token; MCP clients search, read and call the operations of rows through eight fixed tools. Models never see the secrets of rows: they get opaque tokens, which only the hub opens. Every call is recorded.

A client connects to ${mcpUrl} (MCP over Streamable HTTP). It needs only this address: the hub is its own OAuth authorization server, and the user allows the client in the browser. A client without OAuth sends a personal access token: \`Authorization: Bearer hub_pat_…\`. On the hub's machine, \`hub mcp serve\` serves MCP over stdio.

The tools: \`hub_search\` finds operations by words, \`hub_list\` lists them, \`hub_get\` shows their inputs, \`hub_execute\` calls one, \`hub_read\` calls one or up to 100 that only read, \`hub_info\` describes the hub, \`hub_encrypt\` and \`hub_decrypt\` seal and open values. Begin with \`hub_search\`. A value that begins with \`hub_enc_\` is a sealed secret: pass it on unchanged.

${listPages(index, toUrl)}`;
}

/** The sections of the index with their pages. Links to other files of the repository are left out. */
function listPages(index: string, toUrl: LlmsDeps["toUrl"]): string {
  const lines: string[] = [];
  for (const line of index.split("\n")) {
    if (line.startsWith("## ")) lines.push(...(lines.length > 0 ? [""] : []), line, "");
    const [, title = "", target = "", note = ""] = /^- \[(.+?)\]\((\S+?)\)(.*)$/.exec(line) ?? [];
    if (title === "" || lines.length === 0) continue;
    const link = resolveLink(target, "README.md");
    if (link.kind === "page") lines.push(`- [${title}](${toUrl(link.topic)})${note}`);
  }
  return `${lines.join("\n")}\n`;
}
