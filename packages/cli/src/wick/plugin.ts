import type { Command } from "commander";
import { toList } from "../pairs.ts";
import { isJsonWanted, print } from "../print.ts";
import type { Terminal } from "../terminal.ts";
import { toUsageError } from "../usage-error.ts";

type BuildOptions = {
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

/**
 * The commands of `wick plugin`; each loads its module when it runs. `npx` is what stands before a
 * program's name where that is typed.
 */
export function define(plugin: Command, terminal: Terminal, npx: string): void {
  plugin.addHelpText(
    "after",
    `
Examples:
  $ ${npx}wick plugin init tracker
  $ ${npx}wick plugin build tracker
  $ ${npx}wick plugin build tracker --all --sign-key wick-sign.key`,
  );

  plugin
    .command("init")
    .argument("<key>", "key of the new plugin: a-z, 0-9 and _")
    .description("write a working plugin with a test into a new folder of that name")
    .action(async (key: string, _: unknown, command: Command) => {
      const { initPlugin } = await import("./init-plugin.ts");
      const made = await initPlugin(terminal.cwd, key);
      const files = made.files.map((file) => `  ${file}`).join("\n");
      const next = [`${npx}bun test ./${key}`, `${npx}wick plugin build ${key}`];
      const text = `Made ${made.folder}:\n\n${files}\n\nNext:\n  ${next.join("\n  ")}`;
      print(terminal, { json: made, text }, isJsonWanted(command));
    });

  plugin
    .command("build")
    .argument("<key>", "key of the plugin: its folder here, in plugins/, or this folder itself")
    .description("build one archive for each target; fails unless all of them were built")
    .option("--all", "for linux, darwin and windows on amd64 and arm64")
    .option("--target <list>", "such as linux/amd64,darwin/arm64; this machine when left out")
    .option(
      "--protocol <version>",
      "2, or 1 for hosts that speak no later version of the protocol",
      "2",
    )
    .option("--out <folder>", "where the archives go; dist, or dist/protocol-1, when left out")
    .option("--no-compress", "store the program as it is: sooner done, and some twice as large")
    .option("--sign-key <file>", "Ed25519 private key that signs the manifest")
    .option("--cosign-key <file>", "ECDSA private key in PEM that signs the program")
    .action(async (key: string, options: BuildOptions, command: Command) => {
      if (options.all && options.target !== undefined) {
        throw toUsageError("Give either --all or --target.");
      }
      const protocol = options.protocol === "1" ? 1 : 2;
      if (String(protocol) !== options.protocol) {
        throw toUsageError(
          `"${options.protocol}" is no version of the protocol. There are 1 and 2.`,
        );
      }
      const { buildPlugin } = await import("./build-plugin.ts");
      const { allTargets } = await import("./targets.ts");
      const archives = await buildPlugin({
        cwd: terminal.cwd,
        key,
        targets: options.all ? allTargets : toList(options.target ?? ""),
        protocol,
        compress: options.compress,
        // Both have the same names: one must not take the other's place.
        out: options.out ?? (protocol === 1 ? "dist/protocol-1" : "dist"),
        signKeyFile: options.signKey ?? null,
        cosignKeyFile: options.cosignKey ?? null,
        tell: (line) => terminal.stderr.write(`${line}\n`),
      });
      const text = archives.map(({ path }) => path).join("\n");
      print(terminal, { json: archives, text }, isJsonWanted(command));
    });

  plugin
    .command("keygen")
    .description("make an Ed25519 key pair for --sign-key")
    .option("--out <file>", "where the private key goes", "wick-sign.key")
    .action(async (options: KeygenOptions, command: Command) => {
      const { makeSigningKey } = await import("./signing-key.ts");
      const made = await makeSigningKey(terminal.cwd, options.out);
      const text = `Private key: ${made.private_key_file} (keep it secret, and a copy of it)\n\nPublic key, for HUB_PLUGIN_PUBKEY of the hubs that trust you:\n${made.public_key}`;
      print(terminal, { json: made, text }, isJsonWanted(command));
    });

  plugin
    .command("verify")
    .argument("<archive>", "a .zip or .tar.gz file")
    .description("check an archive as a hub does, but for the platform")
    .option(
      "--pubkey <keys>",
      "public keys to trust, comma-separated; the signature must be theirs",
    )
    .option("--cosign-pubkey <file>", "cosign public key that must have signed the program")
    .action(async (archive: string, options: VerifyOptions, command: Command) => {
      const { verifyArchive } = await import("./verify-archive.ts");
      const verified = await verifyArchive(terminal.cwd, archive, options);
      const { key, version, platforms, signature } = verified;
      const text = `${key} ${version} for ${platforms.join(", ")}: ${signature}`;
      print(terminal, { json: verified, text }, isJsonWanted(command));
    });

  plugin
    .command("catalog")
    .description("write the catalog of the newest versions, from releases or a folder of archives")
    .option("--repo <owner/repo>", "GitHub repository whose releases hold the archives")
    .option("--from <folder>", "folder that holds the archives")
    .option(
      "--base-url <url>",
      "with --from: where the archives will be; beside the catalog when left out",
    )
    .option("--out <file>", "the catalog to write", "plugins.json")
    .action(async (options: CatalogOptions, command: Command) => {
      const { writeCatalog } = await import("./write-catalog.ts");
      const catalog = await writeCatalog(
        { cwd: terminal.cwd, env: terminal.env },
        {
          repo: options.repo ?? null,
          from: options.from ?? null,
          baseUrl: options.baseUrl ?? null,
          out: options.out,
        },
      );
      const lines = catalog.map(
        ({ key, version, assets }) => `${key} ${version}: ${Object.keys(assets).join(", ")}`,
      );
      const text = `Wrote ${options.out}.\n${lines.join("\n") || "It is empty."}`;
      print(terminal, { json: catalog, text }, isJsonWanted(command));
    });
}
