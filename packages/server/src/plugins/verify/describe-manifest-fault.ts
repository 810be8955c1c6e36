import { isJsonObject } from "@hub/connector";

/** The rule for each member of a manifest, as words after "must be". */
const members: Record<string, string> = {
  "": "an object",
  schema_version: "1",
  kind: '"connector" or omitted',
  version: 'text such as "1.2.0"',
  proto_version: "a whole number such as 1",
  entry: "the file name of the program, without a folder",
  os_arch: 'a list such as ["linux/amd64"]',
  hub: 'a range of hub versions such as "^0.1.0"',
  sha256: "64 lower-case hexadecimal digits",
  signature: "base64 text",
  module: "an object",
  "module.Meta": "an object",
  "module.Meta.Key": "1 to 64 characters of a-z, 0-9 and _",
  "module.Meta.DefaultTags": 'a list such as [{"Name": "…"}]',
  "module.Configs": "a list",
  "module.Operations": "a list",
};

/** Describes the fault of a manifest at this path, as words after "found". */
export function describeManifestFault(manifest: unknown, path: readonly PropertyKey[]): string {
  const names = path.filter((part) => typeof part === "string");
  // A fault deep inside a list is described for the nearest member that has a rule.
  while (names.length > 0 && !Object.hasOwn(members, names.join("."))) names.pop();
  const name = names.join(".");
  const rule = `must be ${members[name] ?? "of another type"}`;
  if (name === "") return `JSON that is not a manifest, which ${rule}`;
  return isThere(manifest, names)
    ? `an invalid \`${name}\`, which ${rule}`
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
