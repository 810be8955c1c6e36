type Called = { connector_id: string | null; operation_key: string; request: unknown };

/** The command line that sends a recorded call again, with a place for the token. `tool` calls operations. */
export function toCurl(run: Called, mcpUrl: string, tool = "hub_execute"): string {
  const { connector_id: row, operation_key: key, request } = run;
  const called =
    row === null
      ? { name: key, arguments: request ?? {} }
      : {
          name: tool,
          arguments: { tool_id: `conn:${row}/${key}`, params: request ?? {} },
        };
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: called };
  return [
    `curl ${quote(mcpUrl)}`,
    `-H ${quote("Authorization: Bearer YOUR_TOKEN")}`,
    `-H ${quote("Content-Type: application/json")}`,
    `-d ${quote(JSON.stringify(message))}`,
  ].join(" \\\n  ");
}

/** A word for a POSIX shell, in which nothing is expanded. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
