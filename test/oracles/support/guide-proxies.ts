/** The proxies of docs/guide/on-a-server.md, each started by the guide's own lines on free ports. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { endWithRunner } from "../../support/end-with-runner.ts";

export type GuideProxy = {
  program: string;
  /** The address that the hub records for a client that names another one itself. */
  recordedFor(claimed: string): string;
  start(owned: AsyncDisposableStack, setup: ProxySetup): Promise<void>;
};

/** `folder` has `hub.crt` and `hub.key`; `hub` is the port of the hub. */
export type ProxySetup = {
  guide: string;
  folder: string;
  hub: number;
  ports: { https: number; http: number };
};

export const guideProxies: GuideProxy[] = [
  { program: "nginx", recordedFor: (claimed) => claimed, start: startNginx },
  // Caddy replaces what a client that is no proxy of its own says.
  { program: "caddy", recordedFor: () => "127.0.0.1", start: startCaddy },
  { program: "haproxy", recordedFor: (claimed) => claimed, start: startHaproxy },
];

/** Runs a command of the guide, and throws what it says if it fails. */
export async function runGuideLine(command: string): Promise<void> {
  if (command === "") throw new Error("The guide lacks this line.");
  const child = Bun.spawn(["bash", "-c", command], { stdio: ["ignore", "ignore", "pipe"] });
  const errors = await child.stderr.text();
  if ((await child.exited) !== 0) throw new Error(errors);
}

/** The line of the guide with `part`, without `sudo` and in `folder`. */
export function readGuideLine(guide: string, part: string, folder: string): string {
  const line = guide.split("\n").find((each) => each.includes(part) && each.startsWith("sudo "));
  return (line ?? "").replaceAll("sudo ", "").replaceAll("/etc/ssl/hub", folder);
}

function readConf({ guide, folder, hub }: ProxySetup, language: string): string {
  const [, block = ""] = guide.split(`\n\`\`\`${language}\n`);
  const [conf = ""] = block.split("\n```\n");
  if (conf === "") throw new Error(`The guide has no file for ${language}.`);
  return conf.replaceAll("127.0.0.1:7420", `127.0.0.1:${hub}`).replaceAll("/etc/ssl/hub", folder);
}

/** nginx includes the files of `conf.d` in its own configuration; this one has only what needs no root. */
async function startNginx(owned: AsyncDisposableStack, setup: ProxySetup): Promise<void> {
  const { folder, ports } = setup;
  const conf = readConf(setup, "nginx")
    .replaceAll("listen 443 ssl", `listen 127.0.0.1:${ports.https} ssl`)
    .replaceAll("listen 80", `listen 127.0.0.1:${ports.http}`);
  await mkdir(join(folder, "temp"));
  const temp = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `${kind}_temp_path ${folder}/temp/${kind};`)
    .join("\n");
  await writeFile(
    join(folder, "nginx.conf"),
    `daemon off;\nmaster_process off;\npid ${folder}/nginx.pid;\nerror_log ${folder}/error.log;\nevents {}\nhttp {\naccess_log off;\n${temp}\n${conf}\n}\n`,
  );
  const args = ["-p", folder, "-e", join(folder, "error.log"), "-c", join(folder, "nginx.conf")];
  startProxy(owned, folder, { test: ["nginx", "-t", ...args], serve: ["nginx", ...args] });
}

async function startCaddy(owned: AsyncDisposableStack, setup: ProxySetup): Promise<void> {
  const { folder, ports } = setup;
  const file = join(folder, "Caddyfile");
  const options = ["admin off", `http_port ${ports.http}`, `https_port ${ports.https}`];
  await writeFile(file, `{\n${options.join("\n")}\n}\n${readConf(setup, "caddyfile")}\n`);
  const args = ["--adapter", "caddyfile", "--config", file];
  startProxy(owned, folder, {
    test: ["caddy", "validate", ...args],
    serve: ["caddy", "run", ...args],
  });
}

async function startHaproxy(owned: AsyncDisposableStack, setup: ProxySetup): Promise<void> {
  const { guide, folder, ports } = setup;
  await runGuideLine(readGuideLine(guide, "hub.pem", folder));
  const file = join(folder, "haproxy.cfg");
  const conf = readConf(setup, "haproxy")
    .replaceAll("bind :443", `bind 127.0.0.1:${ports.https}`)
    .replaceAll("bind :80", `bind 127.0.0.1:${ports.http}`);
  await writeFile(file, `${conf}\n`);
  startProxy(owned, folder, {
    test: ["haproxy", "-c", "-f", file],
    serve: ["haproxy", "-db", "-f", file],
  });
}

function startProxy(
  owned: AsyncDisposableStack,
  folder: string,
  commands: { test: string[]; serve: string[] },
): void {
  const env = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const tested = Bun.spawnSync(commands.test, { env });
  if (!tested.success) throw new Error(`${tested.stdout}${tested.stderr}`);
  const proxy = Bun.spawn(commands.serve, { env, stdio: ["ignore", "ignore", "ignore"] });
  endWithRunner(proxy);
  owned.defer(async () => {
    proxy.kill();
    await proxy.exited;
  });
}
