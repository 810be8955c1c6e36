/** Mistakes of those who use a server. Importing it adds them to the list. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  add,
  callTool,
  command,
  type MistakeBench,
  message,
  readError,
  request,
} from "./make-mistake.ts";

const reach = "Reaching the server";
add(reach, "`/mpc`", request("/mpc"));
add(reach, "`/sse`, as other MCP servers have it", request("/sse"));
add(reach, "`/helth`", request("/helth"));
add(
  reach,
  "another host than the base URL",
  request("/manager", { headers: { host: "other.example.com" } }),
);
add(reach, "`/mcp` without a token", request("/mcp", { method: "POST" }));
add(reach, "`/mcp?access_token=…`", request("/mcp?access_token=hub_pat_x", { method: "POST" }));
add(
  reach,
  "`Authorization: TOKEN`",
  request("/mcp", { method: "POST", headers: { authorization: "hub_pat_x" } }),
);
add(
  reach,
  "`Authorization: Basic …`",
  request("/mcp", { method: "POST", headers: { authorization: "Basic aGk6aG8=" } }),
);
add(
  reach,
  "a token that is wrong or revoked",
  request("/mcp", { method: "POST", headers: { authorization: "Bearer hub_pat_x" } }),
);
add(
  reach,
  "`/mcp` opened in a browser",
  async ({ hub }) =>
    await readError(
      await fetch(`${hub.url}/mcp`, { headers: { authorization: `Bearer ${hub.adminToken()}` } }),
    ),
);
add(
  reach,
  "an MCP token for the management API",
  async ({ hub, userToken }) =>
    await readError(
      await fetch(`${hub.url}/manager/api/rows`, {
        headers: { authorization: `Bearer ${userToken}` },
      }),
    ),
);
add(reach, "a message of another media type", message("x", { "content-type": "text/plain" }));
add(reach, "a message that is not JSON", message("{"));
add(reach, "a tool that the hub does not have", callTool("hub_exec", {}));
add(reach, "`hub_get` with a wrong id", callTool("hub_get", { tool_id: "get_issue" }));
add(reach, "`hub_execute` without an id", callTool("hub_execute", {}));

const commandLine = "The command line";
add(commandLine, "`hub user ad`", command("user ad ada@example.com"));
add(commandLine, "`hub row list --josn`", command("row list --josn"));
add(commandLine, "`hub status`", command("status"));
add(commandLine, "`hub help` of a page that does not exist", command("help guide/nothing"));
add(commandLine, "`hub user add ada`", command("user add ada"));
add(
  commandLine,
  "a token for a user who does not exist",
  command("token create --user eve@example.com --name laptop"),
);
add(commandLine, "`hub runs --status done`", command("runs --status done"));
add(
  commandLine,
  "a wrong value of a setting",
  command("setting set HUB_AUDIT_RETENTION_DAYS many"),
);
add(commandLine, "a wrong name of a setting", command("setting set HUB_AUDIT_RETENTION_DAY 5"));
add(commandLine, "`hub apply` of a file that does not exist", command("apply FOLDER/nothing.yaml"));
add(commandLine, "`hub apply` of a file with a wrong member", async (bench) => {
  await writeFile(join(bench.folder, "hub.yaml"), "version: 1\nrow: []\n");
  return await command("apply FOLDER/hub.yaml")(bench);
});
add(
  commandLine,
  "`hub plugin install` of a file that does not exist",
  command("plugin install FOLDER/tracker.zip"),
);
add(
  commandLine,
  "`hub workflow run` of a workflow that does not exist",
  command("workflow run Report"),
);

const rows = "Rows";
add(rows, "a connector that does not exist", command("row add htttp --label Tracker"));
add(rows, "a row that does not exist", command("row show Tracker"));
add(
  rows,
  "a field that does not exist",
  command("row add http --label A --set base_uri=https://api.example.com"),
);
add(rows, "a field without a value", command("row add http --label A --set base_url"));
add(
  rows,
  "an address without a scheme",
  command("row add http --label A --set base_url=api.example.com"),
);
add(
  rows,
  "a password in an address",
  command("row add http --label A --set base_url=https://ada:secret@api.example.com"),
);
add(rows, "an operation that does not exist", async (bench) => {
  await command("row add http --label Mistaken --set base_url=https://api.example.com")(bench);
  return await command("row test Mistaken gett")(bench);
});
add(
  rows,
  "a variable that is not set",
  command(
    "row add http --label B --set base_url=https://api.example.com --set auth_mode=bearer --secret-env token=NOT_SET",
  ),
);
add(
  rows,
  "the program of a row does not exist",
  async (bench) => await discover(bench, "absent", "no-such-program", []),
);
add(
  rows,
  "the program of a row ends with an error",
  async (bench) =>
    await discover(bench, "ends", "/bin/sh", [
      "-c",
      "echo 'Error: no such folder: /srv/notes' >&2; exit 1",
    ]),
);

async function discover(
  bench: MistakeBench,
  label: string,
  program: string,
  args: string[],
): Promise<string> {
  const { commands, hub } = bench;
  const env = { HUB_DATA_DIR: hub.dataDir };
  const values = [
    `transport=stdio`,
    `command=${program}`,
    `args=${JSON.stringify(args.map((value) => ({ value })))}`,
  ];
  const sets = values.flatMap((value) => ["--set", value]);
  await commands.run({ argv: ["row", "add", "mcp", "--label", label, ...sets], env });
  return (await commands.run({ argv: ["bridge", "discover", label], env })).stderr;
}
