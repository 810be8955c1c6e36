import { isJsonObject } from "@hub/connector";

/** What each member of a manifest has to be, as words that go on from "must be". */
const members: Record<string, string> = {
  "": "an object",
  schema_version: "1",
  kind: '"connector", or left out',
  version: 'text such as "1.2.0"',
  proto_version: "a whole number such as 1",
  entry: "the file name of the program, without a folder",
  os_arch: 'a list such as ["linux/amd64"]',
  sha256: "64 lower-case hexadecimal digits",
  signature: "base64 text",
  module: "an object",
  "module.Meta": "an object",
  "module.Meta.Key": "1 to 64 characters of a-z, 0-9 and _",
  "module.Meta.DefaultTags": 'a list such as [{"Name": "…"}]',
  "module.Configs": "a list",
  "module.Operations": "a list",
};

/** What is wrong with a manifest at this place, as words that go on from "found". */
export function describeManifestFault(manifest: unknown, path: readonly PropertyKey[]): string {
  const names = path.filter((part) => typeof part === "string");
  // A fault deep inside a list is told of the member that has words of its own.
  while (names.length > 0 && !Object.hasOwn(members, names.join("."))) names.pop();
  const name = names.join(".");
  const rule = `must be ${members[name] ?? "of another type"}`;
  if (name === "") return `JSON that is no manifest, which ${rule}`;
  return isThere(manifest, names)
    ? `a wrong \`${name}\`, which ${rule}`
    : `no \`${name}\`, which ${rule}`;
}

function isThere(manifest: unknown, names: readonly string[]): boolean {
  let value = manifest;
  for (const name of names) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return false;
    value = value[name];
  }
  return true;
}
