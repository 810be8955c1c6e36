import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitFor } from "../../support/wait-for.ts";

export type Balancer = AsyncDisposable & { url: string };

const program = ["/usr/sbin/nginx", "/usr/bin/nginx"].find((path) => existsSync(path)) ?? null;

/** Whether nginx is installed. Without it, prints that the tests are skipped. */
export function hasNginx(): boolean {
  if (program === null) console.warn("skipped: the tests of several servers need nginx");
  return program !== null;
}

/** Starts nginx on this port in front of the servers, which take turns. */
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
 * Round robin. A request that was sent to a server is not sent to another one; only a refused
 * connection moves on. A server that does not answer within five seconds fails the request.
 */
function toConfig(folder: string, port: number, serverPorts: readonly number[]): string {
  const servers = serverPorts.map(
    (serverPort) => `server 127.0.0.1:${serverPort} max_fails=3 fail_timeout=2s;`,
  );
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return `
daemon off;
worker_processes 1;
user root;
pid ${folder}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  ${temporary.join("\n  ")}
  upstream hub { ${servers.join(" ")} keepalive 64; }
  server {
    listen 127.0.0.1:${port};
    client_max_body_size 8m;
    location / {
      proxy_pass http://hub;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_buffering off;
      proxy_connect_timeout 1s;
      proxy_read_timeout 5s;
    }
  }
}
`;
}
