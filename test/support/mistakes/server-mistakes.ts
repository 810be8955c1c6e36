/** Mistakes of those who start a server and keep its data. Importing it adds them to the list. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { layDatabase } from "@hub/server/store/testing/open-test-store.ts";
import { describeHosts } from "../../../packages/server/src/http/server.ts";
import { runCli } from "../run-cli.ts";
import { add, command, doctor } from "./make-mistake.ts";

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
add(data, "`hub backup --keys` without a passphrase", command("backup FOLDER/none.tar.gz --keys"));
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
