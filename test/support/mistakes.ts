/** Ordinary mistakes, made on a real hub, for the page "What the hub says when something is wrong". */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { layDatabase } from "@hub/server/store/testing/open-test-store.ts";
import { describeHosts } from "../../packages/server/src/http/server.ts";
import type { CommandProcess } from "./command-process.ts";
import { runCli } from "./run-cli.ts";
import type { RunningHub } from "./start-hub.ts";

/** What mistakes are made with. */
export type MistakeBench = {
  hub: RunningHub;
  /** Runs commands on the folder of the hub. */
  commands: CommandProcess;
  /** A folder for files of mistakes. */
  folder: string;
  userToken: string;
};

/** A mistake in words, and how it is made. Resolves with what the hub says. */
type Mistake = { group: string; words: string; make(bench: MistakeBench): Promise<string> };

const mistakes: Mistake[] = [];

function add(group: string, words: string, make: Mistake["make"]): void {
  mistakes.push({ group, words, make });
}

/** A command line on the hub's folder, in the words of a shell without quotes. */
function command(
  words: string,
  {
    env = {},
    stdin = "",
    dataDir,
  }: { env?: Record<string, string>; stdin?: string; dataDir?: string } = {},
): Mistake["make"] {
  return async ({ commands, hub, folder }) => {
    const place = dataDir === undefined ? hub.dataDir : join(folder, dataDir);
    const argv = words.split(" ").map((word) => word.replaceAll("FOLDER", folder));
    const said = await commands.run({
      argv,
      stdin,
      cwd: folder,
      env: { HUB_DATA_DIR: place, ...env },
    });
    return said.stderr || said.stdout;
  };
}

/** A line of `hub doctor` in a folder without a server. */
function doctor(env: Record<string, string>, name: string): Mistake["make"] {
  return async ({ commands, folder }) => {
    const dataDir = join(folder, "quiet");
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await layDatabase(dataDir);
    const { json } = await commands.run({
      argv: ["doctor", "--json"],
      env: { HUB_DATA_DIR: dataDir, ...env },
    });
    const { checks } = json<{ checks: { name: string; message: string }[] }>();
    return checks.find((check) => check.name === name)?.message ?? "";
  };
}

/** A request to the server. */
function request(path: string, init: RequestInit = {}): Mistake["make"] {
  return async ({ hub }) => await readError(await fetch(`${hub.url}${path}`, init));
}

/** A message to /mcp with the admin's token. */
function message(body: unknown, headers: Record<string, string> = {}): Mistake["make"] {
  return async ({ hub }) => {
    const init = {
      method: "POST",
      headers: {
        authorization: `Bearer ${hub.adminToken()}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
    };
    return await readError(await fetch(`${hub.url}/mcp`, init));
  };
}

const callTool = (name: string, args: object) =>
  message({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });

/** The sentence of an answer: a problem, a JSON-RPC error or the failure of a tool. */
async function readError(response: Response): Promise<string> {
  const text = await response.text();
  const body = JSON.parse(text.replace(/^(?:event: .*\n)?data: /, ""));
  const tool = body.result?.content?.[0]?.text;
  if (typeof tool === "string") return JSON.parse(tool).error;
  return body.error?.message ?? body.error ?? text;
}

const start = "Starting the server";
add(start, "`hub start`", command("start"));
add(start, "the port is used by another program", async ({ hub, folder }) => {
  const env = { HUB_PORT: String(hub.port) };
  const said = await runCli({ dataDir: join(folder, "second"), cwd: folder, env }, ["serve"]);
  return said.stderr.split("\n")[0] ?? "";
});
add(start, "`HUB_PORT=abc`", command("row list", { env: { HUB_PORT: "abc" } }));
add(start, "`HUB_PORT=99999`", command("row list", { env: { HUB_PORT: "99999" } }));
add(
  start,
  "`HUB_HOST=http://hub.lan`",
  command("row list", { env: { HUB_HOST: "http://hub.lan" } }),
);
add(start, "a machine that has only IPv6", async () =>
  describeHosts("127.0.0.1", new Set(["IPv6"])),
);
add(
  start,
  "`HUB_HOST=0.0.0.0` without a base URL (`hub doctor`)",
  doctor({ HUB_HOST: "0.0.0.0" }, "address"),
);
add(
  start,
  "`HUB_BASE_URL` without a scheme",
  command("row list", { env: { HUB_BASE_URL: "hub.example.com" } }),
);
add(
  start,
  "`HUB_BASE_URL` with a path",
  command("row list", { env: { HUB_BASE_URL: "https://example.com/hub" } }),
);
add(
  start,
  "`HUB_TRUSTED_PROXIES=proxy.lan`",
  command("row list", { env: { HUB_TRUSTED_PROXIES: "proxy.lan" } }),
);
add(start, "`HUB_MIGRATE=no`", command("row list", { env: { HUB_MIGRATE: "no" } }));
add(
  start,
  "a variable that does not exist (start and `hub doctor`)",
  doctor({ HUB_PRT: "8080" }, "environment"),
);
add(
  start,
  "`TZ=Europe/Berln` (start and `hub doctor`)",
  doctor({ TZ: "Europe/Berln" }, "environment"),
);
add(
  start,
  "`HTTPS_PROXY` is set (start and `hub doctor`)",
  doctor({ HTTPS_PROXY: "http://proxy.lan:3128" }, "environment"),
);
add(
  start,
  "a reverse proxy without `HUB_TRUSTED_PROXIES` (log and `hub doctor`)",
  async ({ hub, commands }) => {
    await fetch(`${hub.url}/health`, { headers: { "x-forwarded-for": "203.0.113.9" } });
    for (;;) {
      const { json } = await commands.run({
        argv: ["doctor", "--json"],
        env: { HUB_DATA_DIR: hub.dataDir },
      });
      const { checks } = json<{ checks: { name: string; message: string }[] }>();
      const found = checks.find(({ name }) => name === "proxies");
      // The server stores it after its answer.
      if (found !== undefined) return found.message;
    }
  },
);

const data = "The data folder, keys and backups";
add(data, "a folder without a hub", command("row list", { dataDir: "nothing" }));
add(data, "the data folder is a file", async (bench) => {
  await writeFile(join(bench.folder, "file"), "");
  return await command("migrate", { dataDir: "file" })(bench);
});
add(data, "the key file is damaged", async (bench) => {
  await mkdir(join(bench.folder, "keyless"), { mode: 0o700 });
  await layDatabase(join(bench.folder, "keyless"));
  await writeFile(join(bench.folder, "keyless", "keys.json"), "{", { mode: 0o600 });
  return await command("user list", { dataDir: "keyless" })(bench);
});
add(data, "the database is damaged", async (bench) => {
  await mkdir(join(bench.folder, "damaged"), { recursive: true, mode: 0o700 });
  await writeFile(join(bench.folder, "damaged", "hub.sqlite"), "not a database".repeat(1000), {
    mode: 0o600,
  });
  return await command("user list", { dataDir: "damaged" })(bench);
});
add(data, "`HUB_ENC_KEY=secret`", command("user list", { env: { HUB_ENC_KEY: "secret" } }));
add(
  data,
  "`HUB_DATABASE_URL` without `HUB_ENC_KEY`",
  command("row list", { env: { HUB_DATABASE_URL: "postgres://hub@db.example.com/hub" } }),
);
add(data, "`hub backup` to a file that exists", async (bench) => {
  await writeFile(join(bench.folder, "taken.tar.gz"), "");
  return await command("backup FOLDER/taken.tar.gz")(bench);
});
add(data, "`hub backup --keep 0 FOLDER`", command("backup --keep 0 FOLDER/backups"));
add(data, "`hub backup --keep 7 FILE`", async (bench) => {
  await writeFile(join(bench.folder, "taken.tar.gz"), "");
  return await command("backup --keep 7 FOLDER/taken.tar.gz")(bench);
});
add(
  data,
  "`hub backup --keys` with a short passphrase",
  command("backup FOLDER/short.tar.gz --keys", { stdin: "short" }),
);
add(
  data,
  "`hub restore` of a file that does not exist",
  command("restore FOLDER/nothing.tar.gz", { dataDir: "restored" }),
);
add(data, "`hub restore` of a file that is no backup", async (bench) => {
  await writeFile(join(bench.folder, "no-backup.tar.gz"), "text");
  return await command("restore FOLDER/no-backup.tar.gz", { dataDir: "restored" })(bench);
});
add(data, "`hub restore` into a folder with a hub", async (bench) => {
  await writeFile(join(bench.folder, "no-backup.tar.gz"), "text");
  return await command("restore FOLDER/no-backup.tar.gz")(bench);
});

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

const mistakeGroups = [...new Set(mistakes.map(({ group }) => group))];

/** A mistake with what the hub said, without what differs from run to run. */
export type Said = { group: string; words: string; said: string };

/** Makes all mistakes, one after another. */
export async function makeMistakes(bench: MistakeBench): Promise<Said[]> {
  const all: Said[] = [];
  for (const { group, words, make } of mistakes) {
    all.push({ group, words, said: toLasting(await make(bench), bench) });
  }
  return all;
}

function toLasting(said: string, { hub, folder }: MistakeBench): string {
  return said
    .trim()
    .replace(/^error: /, "")
    .replaceAll(hub.dataDir, "DATA_FOLDER")
    .replaceAll(folder, "FOLDER")
    .replaceAll(String(hub.port), "PORT")
    .replace(/\s*\n\s*/g, " ");
}

const intro = `# What the hub says when something is wrong

Ordinary mistakes and the sentences with which the hub answers. A test makes each of them and compares the answers with this
page; \`npx bun scripts/write-mistakes-reference.ts\` writes it. \`FOLDER\`, \`DATA_FOLDER\` and \`PORT\` stand for those of the
machine. Over HTTP the sentence is \`error\`, beside a \`code\` for programs; on the command line it is printed to standard error, and
\`--json\` prints both. What a sentence knows, such as a wait or a field, is a member too. If the program of a row or plugin did not
start, admins see its last lines in \`program_output\`.
`;

/** The text of the page. */
export function toMistakesPage(all: readonly Said[]): string {
  const tables = mistakeGroups.map((group) => {
    const lines = all
      .filter((one) => one.group === group)
      .map(({ words, said }) => `| ${words} | ${said.replaceAll("|", "\\|")} |`);
    return `## ${group}\n\n| mistake | what the hub says |\n|---|---|\n${lines.join("\n")}\n`;
  });
  return [intro, ...tables].join("\n");
}
