import type { ValuePath } from "../../lib/yaml/find-position.ts";
import { isReferenceText } from "../../secrets/at-rest/secret-references.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { kept } from "./export-hub.ts";
import type { ReadHubFile } from "./read-hub-file.ts";

/**
 * Reads what `env:NAME` or `file:PATH` refers to, on the machine of the person who applies the file.
 * Throws an Error with a sentence if there is nothing.
 */
export type ReadReference = (kind: "env" | "file", name: string) => Promise<string>;

const referencePattern = /^(env|file):(.+)$/s;

/**
 * The secrets that the file refers to, by their references. Only secret fields have references. Those that stay
 * references are not read: the hub reads them at each call.
 */
export async function resolveSecrets(
  { registry }: Pick<ServiceDeps, "registry">,
  { file, refuse }: ReadHubFile,
  readReference: ReadReference,
): Promise<ReadonlyMap<string, string>> {
  const secrets = new Map<string, string>();
  const resolve = async (place: ValuePath, given: unknown) => {
    if (given === kept || given === "") return;
    const [, kind, name] = (typeof given === "string" && referencePattern.exec(given)) || [];
    if ((kind !== "env" && kind !== "file") || name === undefined) throw refuse(place, advice);
    const reference = `${kind}:${name}`;
    if (secrets.has(reference)) return;
    try {
      secrets.set(reference, await readReference(kind, name));
    } catch (failure) {
      throw refuse(place, failure instanceof Error ? failure.message : String(failure));
    }
  };
  for (const [at, { connector, values = {} }] of (file.rows ?? []).entries()) {
    const fields = registry.find(connector)?.configFields ?? [];
    for (const { key } of fields.filter(({ secret }) => secret)) {
      const stays = isReferenceText(String(values[key]));
      if (Object.hasOwn(values, key) && !stays)
        await resolve(["rows", at, "values", key], values[key]);
    }
  }
  for (const [at, { secrets: given = {} }] of (file.workflows ?? []).entries()) {
    for (const [name, value] of Object.entries(given)) {
      await resolve(["workflows", at, "secrets", name], value);
    }
  }
  return secrets;
}

const advice =
  'This is a secret, so it does not stand in the file. Write "env:NAME" or "file:PATH" to set it, or "keep" to leave it as it is. A row can also refer to "env:HUB_SECRET_NAME" or "secret:NAME", which the hub reads at each call.';
