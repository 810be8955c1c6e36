import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { endWithRunner } from "../../support/end-with-runner.ts";
import { waitFor } from "../../support/wait-for.ts";

export type Balancer = AsyncDisposable & { url: string };

const program = ["/usr/sbin/nginx", "/usr/bin/nginx"].find((path) => existsSync(path)) ?? null;

const deployed = readFileSync(resolve(import.meta.dirname, "../../../deploy/nginx.conf"), "utf8");

/** Whether nginx is installed. Without it, prints that the tests are skipped. */
export function hasNginx(): boolean {
  if (program === null) console.warn("skipped: the tests of several servers need nginx");
  return program !== null;
}

/** Starts nginx on this port in front of the servers, which get requests round-robin. */
export async function startBalancer(
  port: number,
  serverPorts: readonly number[],
): Promise<Balancer> {
  if (program === null) throw new Error("nginx is not installed.");
  const folder = mkdtempSync(join(tmpdir(), "hub-nginx-"));
  const config = join(folder, "nginx.conf");
  writeFileSync(config, toConfig(folder, port, serverPorts));
  const child = Bun.spawn([program, "-p", folder, "-c", config, "-e", join(folder, "error.log")], {
    stdio: ["ignore", "ignore", "ignore"],
  });
  endWithRunner(child);
  const url = `http://127.0.0.1:${port}`;
  await waitFor(() => fetch(url).catch(() => false));
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * The configuration in `deploy/`, with these addresses. A request on a paused server fails after five
 * seconds.
 */
function toConfig(folder: string, port: number, serverPorts: readonly number[]): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  let server = deployed
    .replace("listen 7420;", `listen 127.0.0.1:${port};`)
    .replace("proxy_read_timeout 300s;", "proxy_read_timeout 5s;");
  serverPorts.forEach((serverPort, index) => {
    server = server.replace(`hub${index + 1}:7420`, `127.0.0.1:${serverPort}`);
  });
  return `
daemon off;
worker_processes 1;
user root;
pid ${folder}/nginx.pid;
events { worker_connections 1024; }
http {
access_log off;
${temporary.join("\n")}
${server}
}
`;
}
