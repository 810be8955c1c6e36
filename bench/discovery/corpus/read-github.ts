import { join } from "node:path";
import { parseDocument } from "../../../packages/server/src/bridges/openapi/documents/parse-document.ts";
import { readDocument } from "../../../packages/server/src/bridges/openapi/documents/read-openapi-document.ts";
import { assignKeys } from "../../../packages/server/src/connectors/by-row/operation-keys.ts";
import type { Operation } from "../corpus-file.ts";
import { cacheFolder, downloadNpmPackage, runCommand } from "./download.ts";

const archive = "octokit-openapi-23.0.2.tgz";
/** As the package's `dist.integrity` in the registry. */
const sha512 =
  "pV8M7L9GY23AybNvTmo2nyjmpmnt6+2sRE/tqr0ZLQcPS4lnw7u5eZGNmwRNkBC3D7gZXbFx5AHzLUVRBXGDhg==";
const member = "package/generated/api.github.com.json";
const everything = { tags: [], paths: [], methods: [] };

/** GitHub's document, read as the hub reads it: one `openapi` row of more than a thousand operations. */
export async function readGithub(): Promise<Operation[]> {
  const path = await downloadNpmPackage(archive, "@octokit/openapi@23.0.2", sha512);
  await runCommand(["tar", "-xzf", path, "-C", cacheFolder, member], cacheFolder);
  const document = parseDocument(await Bun.file(join(cacheFolder, member)).text());
  const read = [...readDocument(document, everything)].flatMap((one) =>
    "operation" in one ? [one.operation] : [],
  );
  const keys = assignKeys(
    read.map(({ sourceName }) => sourceName),
    new Map(),
  );
  return read.map(({ sourceName, title, description, inputSchema }) => ({
    connector: "OpenAPI",
    label: "GitHub",
    about: "",
    key: keys.get(sourceName) ?? sourceName,
    name: title ?? sourceName,
    description,
    inputs: Object.keys(Object(inputSchema.properties)),
    schema: inputSchema,
  }));
}
