import { mkdir, rename } from "node:fs/promises";
import { resolve } from "node:path";

/** Where corpora and what they are made of are kept. None of it is committed: its texts are of other authors. */
export const cacheFolder = resolve(
  import.meta.dirname,
  "../../../node_modules/.cache/hub-discovery",
);

type Package = {
  /** The name of the file that the command writes. */
  archive: string;
  /** Writes the file into the current folder. */
  command: string[];
  /** In base64. */
  sha512: string;
};

/** Downloads a package once, and checks its hash. Returns its path. */
export async function downloadPackage({ archive, command, sha512 }: Package): Promise<string> {
  const incoming = resolve(cacheFolder, "incoming");
  await mkdir(incoming, { recursive: true });
  const path = resolve(cacheFolder, archive);
  if (await Bun.file(path).exists()) return path;
  console.error(`Downloading ${archive}…`);
  await runCommand(command, incoming);
  const bytes = await Bun.file(resolve(incoming, archive)).bytes();
  const hash = new Bun.CryptoHasher("sha512").update(bytes).digest("base64");
  if (hash !== sha512) throw new Error(`${archive} has the SHA-512 ${hash}, not ${sha512}.`);
  await rename(resolve(incoming, archive), path);
  return path;
}

/** The archive of `npm pack name@version`. */
export async function downloadNpmPackage(archive: string, spec: string, sha512: string) {
  return await downloadPackage({ archive, command: ["npm", "pack", spec, "--silent"], sha512 });
}

export async function runCommand(command: string[], cwd: string): Promise<void> {
  const child = Bun.spawn(command, { cwd, stdio: ["ignore", 2, 2] });
  if ((await child.exited) !== 0) throw new Error(`\`${command.slice(0, 3).join(" ")}\` failed.`);
}
