import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { endWithRunner } from "../../support/end-with-runner.ts";
import { findFreePort } from "../../support/free-port.ts";
import { waitFor } from "../../support/wait-for.ts";

/** The installed PgBouncer, or null. It is a package of the system, not of npm. */
export const pgbouncer = Bun.which("pgbouncer") ?? Bun.which("/usr/sbin/pgbouncer");

export type PgBouncer = AsyncDisposable & { url: string };

/** PgBouncer in transaction mode in front of a database; it refuses to run as root. */
export async function startPgbouncer(
  target: string,
  settings: Record<string, string> = {},
): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), "hub-pgbouncer-"));
  const { hostname, port, pathname } = new URL(target);
  const name = pathname.slice(1);
  const listenPort = await findFreePort();
  const lines = {
    listen_addr: "127.0.0.1",
    listen_port: String(listenPort),
    auth_type: "any",
    pool_mode: "transaction",
    unix_socket_dir: "",
    ...settings,
  };
  const file = join(folder, "pgbouncer.ini");
  writeFileSync(
    file,
    [
      "[databases]",
      `${name} = host=${hostname} port=${port} dbname=${name} user=hub`,
      "[pgbouncer]",
      ...Object.entries(lines).map(([key, value]) => `${key} = ${value}`),
      "",
    ].join("\n"),
  );
  Bun.spawnSync(["chown", "-R", "65534:65534", folder]);
  const asUser =
    process.getuid?.() === 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
  const child = Bun.spawn([...asUser, pgbouncer ?? "", file], {
    stdio: ["ignore", "ignore", "ignore"],
  });
  endWithRunner(child);
  const url = new URL(target);
  url.port = String(listenPort);
  const end = async () => {
    child.kill("SIGKILL");
    await child.exited;
    rmSync(folder, { recursive: true });
  };
  await waitFor(async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}.`);
    const probe = new SQL({ url: url.href, max: 1, prepare: false });
    return await probe
      .unsafe("select 1")
      .then(
        () => true,
        () => false,
      )
      .finally(() => probe.close());
  });
  return { url: url.href, [Symbol.asyncDispose]: end };
}
