/** What HUB_DATABASE_URL can name by mistake: each start ends with a sentence. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import net from "node:net";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { createDataFolder } from "../support/data-folder.ts";
import { findFreePort } from "../support/free-port.ts";
import { type EmbeddedServer, startEmbedded } from "../support/postgres-server.ts";
import { runCli } from "../support/run-cli.ts";
import { pgbouncer, startPgbouncer } from "./support/pgbouncer.ts";

let server: EmbeddedServer;

beforeAll(async () => {
  server = await startEmbedded();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

async function run(url: string, args = ["user", "list"]) {
  await using folder = await createDataFolder();
  const env = { HUB_DATABASE_URL: url, HUB_ENC_KEY: "5a".repeat(32) };
  const { exitCode, stderr } = await runCli({ dataDir: folder.path, env }, args);
  expect(exitCode).toBe(1);
  expect(stderr).not.toContain("s3cret");
  return stderr;
}

describe("Another program at the address stops a server", () => {
  const programs: Record<string, (socket: net.Socket) => void> = {
    "a web server": (socket) =>
      socket.on("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")),
    "an SSH server": (socket) => socket.write("SSH-2.0-OpenSSH_9.2\r\n"),
  };
  nightlyTest.each(Object.entries(programs))(
    "%s",
    async (_, answer) => {
      const other = net.createServer((socket) => {
        socket.on("error", () => {});
        answer(socket);
      });
      other.listen(0, "127.0.0.1");
      await once(other, "listening");
      const address = other.address();
      const place = `127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
      const stderr = await run(`postgres://hub:s3cret@${place}/hub`, ["serve"]);
      expect(stderr).toContain(`error: The program at ${place}/hub is not PostgreSQL.`);
      other.close();
    },
    60_000,
  );
});

test("An address without a program, and one with an unknown host, are named", async () => {
  const place = `127.0.0.1:${await findFreePort()}`;
  expect(await run(`postgres://hub:s3cret@${place}/hub`)).toContain(
    `The hub cannot reach its database at ${place}/hub: nothing listens there.`,
  );
  expect(await run("postgres://hub:s3cret@nowhere.invalid/hub")).toContain(
    "The hub cannot reach its database at nowhere.invalid:5432/hub: its host name is unknown.",
  );
});

test("A user that PostgreSQL does not know is named", async () => {
  const url = new URL(server.url);
  url.username = "stranger";
  url.password = "s3cret";
  expect(await run(url.href, ["serve"])).toContain(
    'The hub cannot use the database in HUB_DATABASE_URL: role "stranger" does not exist.',
  );
});

test.skipIf(!pgbouncer)(
  `PgBouncer in transaction mode stops a server, with its defaults and without checks${pgbouncer ? "" : " (skipped: pgbouncer is not installed)"}`,
  async () => {
    const target = await server.createDatabase();
    const ignored = {
      ignore_startup_parameters:
        "extra_float_digits,default_transaction_isolation,idle_in_transaction_session_timeout",
    };
    for (const settings of [{}, ignored, { ...ignored, server_round_robin: "1" }]) {
      await using proxy = await startPgbouncer(target, settings);
      expect(await run(proxy.url, ["serve"])).toContain(
        "error: HUB_DATABASE_URL names a proxy, such as PgBouncer, that does not keep the sessions of PostgreSQL.",
      );
    }
  },
  60_000,
);
