import type { Command } from "commander";
import { toUsageError } from "../errors/usage-error.ts";
import { toList } from "../input/option-values.ts";
import type { Terminal } from "../process/terminal.ts";
import { isJsonWanted, print } from "../text/print-answer.ts";
import type { ProgramNames } from "./plugin-templates.ts";

type BuildOptions = {
  thin?: true;
  hub?: string;
  all?: true;
  target?: string;
  out?: string;
  signKey?: string;
  cosignKey?: string;
  protocol: string;
  compress: boolean;
};
type KeygenOptions = { out: string };
type VerifyOptions = { pubkey?: string; cosignPubkey?: string };
type CatalogOptions = { repo?: string; from?: string; baseUrl?: string; out: string };

/** Defines the commands of `wick plugin`. Each loads its module when it runs. */
export function define(plugin: Command, terminal: Terminal, names: ProgramNames): void {
  const { wick } = names;
  plugin.addHelpText(
    "after",
    `
Examples:
  $ ${wick} plugin init tracker
  $ ${wick} plugin build tracker
  $ ${wick} plugin build tracker --thin
  $ ${wick} plugin build tracker --all --sign-key wick-sign.key`,
  );
  for (const add of [addInit, addTest, addBuild, addSigning, addCatalog]) {
    add(plugin, terminal, names);
  }
}

function addInit(plugin: Command, terminal: Terminal, names: ProgramNames): void {
  const { wick } = names;
  plugin
    .command("init")
    .argument("<key>", "key of the new plugin: a-z, 0-9 and _")
    .description("write a working plugin with a test into a new folder of that name")
    .action(async (key: string, _: unknown, command: Command) => {
      const { initPlugin } = await import("./init-plugin.ts");
      const made = await initPlugin(terminal.cwd, key, names);
      const files = made.files.map((file) => `  ${file}`).join("\n");
      const next = [`${wick} plugin test ${key}`, `${wick} plugin build ${key}`];
      const text = `Created ${made.folder}:\n\n${files}\n\nNext:\n  ${next.join("\n  ")}`;
      print(terminal, { json: made, text }, isJsonWanted(command));
    });
}

function addTest(plugin: Command, terminal: Terminal, names: ProgramNames): void {
  plugin
    .command("test")
    .argument("<key>", "key of the plugin, found as `build` finds it")
    .description("run the tests of a plugin")
    .action(async (key: string) => {
      const { testPlugin } = await import("./test-plugin.ts");
      process.exitCode = await testPlugin({ cwd: terminal.cwd, key, names });
    });
}

function addBuild(plugin: Command, terminal: Terminal, names: ProgramNames): void {
  plugin
    .command("build")
    .argument("<key>", "key of the plugin, found in ./KEY, ./plugins/KEY or the current folder")
    .description("build one archive for each target; fails if any target fails")
    .option("--all", "build for linux, darwin and windows on amd64 and arm64")
    .option("--target <list>", "such as linux/amd64,darwin/arm64 (default: this machine)")
    .option("--thin", "build one small archive for all platforms, which only hubs can run")
    .option(
      "--hub <range>",
      "with --thin: the hub versions, such as ^0.1.0 (default: like this one)",
    )
    .option("--protocol <version>", "plugin protocol: 2, or 1 for hosts that support only 1", "2")
    .option(
      "--out <folder>",
      "folder for the archives (default: dist; for protocol 1 dist/protocol-1)",
    )
    .option("--no-compress", "do not compress the program: faster, about twice as large")
    .option("--sign-key <file>", "Ed25519 private key that signs the manifest")
    .option("--cosign-key <file>", "ECDSA private key in PEM that signs the program")
    .action(async (key: string, options: BuildOptions, command: Command) => {
      if (options.all && options.target !== undefined) {
        throw toUsageError("Give either --all or --target.");
      }
      const protocol = options.protocol === "1" ? 1 : 2;
      if (String(protocol) !== options.protocol) {
        throw toUsageError(
          `"${options.protocol}" is not a version of the plugin protocol. Use 1 or 2.`,
        );
      }
      if (options.thin && (options.all || options.target !== undefined || protocol === 1)) {
        throw toUsageError("--thin builds for all platforms and for protocol 2 only.");
      }
      if (options.hub !== undefined && !options.thin) {
        throw toUsageError("--hub gives the hub versions of a thin plugin. Add --thin.");
      }
      const { buildPlugin } = await import("./build/build-plugin.ts");
      const { allTargets } = await import("./build/targets.ts");
      const archives = await buildPlugin({
        cwd: terminal.cwd,
        key,
        names,
        targets: options.all ? allTargets : toList(options.target ?? ""),
        thin: options.thin ? { hub: options.hub ?? null } : null,
        protocol,
        compress: options.compress,
        // Archives of both protocols have the same names and must not overwrite each other.
        out: options.out ?? (protocol === 1 ? "dist/protocol-1" : "dist"),
        signKeyFile: options.signKey ?? null,
        cosignKeyFile: options.cosignKey ?? null,
        report: (line) => terminal.stderr.write(`${line}\n`),
      });
      const text = archives.map(({ path }) => path).join("\n");
      print(terminal, { json: archives, text }, isJsonWanted(command));
    });
}

function addSigning(plugin: Command, terminal: Terminal): void {
  plugin
    .command("keygen")
    .description("make an Ed25519 key pair for --sign-key")
    .option("--out <file>", "file for the private key", "wick-sign.key")
    .action(async (options: KeygenOptions, command: Command) => {
      const { makeSigningKey } = await import("./publish/plugin-signing-key.ts");
      const made = await makeSigningKey(terminal.cwd, options.out);
      const text = `Private key: ${made.private_key_file} (keep it secret and keep a backup)\n\nPublic key, for HUB_PLUGIN_PUBKEY of hubs that trust you:\n${made.public_key}`;
      print(terminal, { json: made, text }, isJsonWanted(command));
    });

  plugin
    .command("verify")
    .argument("<archive>", "a .zip or .tar.gz file")
    .description("run a hub's checks on an archive, except the platform check")
    .option("--pubkey <keys>", "trusted public keys, comma-separated; one must have signed it")
    .option("--cosign-pubkey <file>", "cosign public key that must have signed the program")
    .action(async (archive: string, options: VerifyOptions, command: Command) => {
      const { verifyArchive } = await import("./publish/verify-archive.ts");
      const verified = await verifyArchive(terminal.cwd, archive, options);
      const { key, version, platforms, hub, signature } = verified;
      const hubs = hub === null ? "" : ` (hub ${hub})`;
      const text = `${key} ${version} for ${platforms.join(", ")}${hubs}: ${signature}`;
      print(terminal, { json: verified, text }, isJsonWanted(command));
    });
}

function addCatalog(plugin: Command, terminal: Terminal): void {
  plugin
    .command("catalog")
    .description("write a catalog of the newest versions, from releases or a folder of archives")
    .option("--repo <owner/repo>", "GitHub repository with the archives in its releases")
    .option("--from <folder>", "folder with the archives")
    .option(
      "--base-url <url>",
      "with --from: URL of the archives (default: relative to the catalog)",
    )
    .option("--out <file>", "the catalog to write", "plugins.json")
    .action(async (options: CatalogOptions, command: Command) => {
      const { writeCatalog } = await import("./publish/write-catalog.ts");
      const { catalog, notes } = await writeCatalog(
        { cwd: terminal.cwd, env: terminal.env },
        {
          repo: options.repo ?? null,
          from: options.from ?? null,
          baseUrl: options.baseUrl ?? null,
          out: options.out,
        },
      );
      for (const note of notes) terminal.stderr.write(`${note}\n`);
      const lines = catalog.map(
        ({ key, version, assets }) => `${key} ${version}: ${Object.keys(assets).join(", ")}`,
      );
      const text = `Wrote ${options.out}.\n${lines.join("\n") || "The catalog is empty."}`;
      print(terminal, { json: catalog, text }, isJsonWanted(command));
    });
}
