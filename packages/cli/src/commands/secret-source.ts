import {
  listCredentialNames,
  type SecretSource,
  type SourceInput,
  type SourceSettings,
  sourceSettingsSchema,
} from "@hub/contract/secret-source.ts";
import { sourceKindNames } from "@hub/contract/secret-source-kinds.ts";
import { checkInput } from "@hub/server/lib/input/check-input.ts";
import type { Cli } from "../cli.ts";
import { command, group } from "../declare/command.ts";
import { argument, option, pairs, repeated, requiredOption } from "../declare/parameters.ts";
import { table } from "../declare/view.ts";
import { readSecret } from "../input/read-secret.ts";

const loadSources = () => import("@hub/server/services/secret-sources/manage-sources.ts");

const kinds = Object.keys(sourceKindNames).join(", ");
const name = argument("<name>", "name or id of a secret manager");
const shared = {
  set: pairs(
    "<name=value>",
    "a setting, such as address=https://vault.example.com; may be repeated",
  ),
  prefix: repeated("<path>", "nothing outside is read: apps/hub, prod-* or *; may be repeated"),
  credentialEnv: pairs(
    "<name=variable>",
    "read a credential from a variable; others are asked for; may be repeated",
  ),
};

export const define = group(
  {
    about:
      "A secret manager is where rows and workflows get secrets that the hub does not store. References say which: see `hub secret-reference`.",
    examples: [
      "secret-source add Vault --kind vault --set address=https://vault.example.com --set auth=approle --set role=hub --prefix apps/hub",
      "secret-source list",
    ],
  },
  [
    command("list", "list the secret managers", {
      does: async ({ services }) => (await loadSources()).listSources(services),
      shows: table<SecretSource>(
        [
          "name",
          ["manager", ({ settings }) => sourceKindNames[settings.kind]],
          ["prefixes", ({ prefixes }) => prefixes.join(", ")],
          ["references", ({ references }) => `${references}`],
          ["last read", ({ last_read: read }) => read?.reason ?? read?.at ?? "never"],
        ],
        "There are no secret managers.",
      ),
    }),
    command("add", "add a secret manager; asks for its credentials", {
      takes: {
        name: argument("<name>", "a name of your choice"),
        kind: requiredOption("<kind>", `one of ${kinds}`),
        ...shared,
      },
      async does({ services, actor }, { name, kind, set, prefix, credentialEnv }, cli) {
        const settings = toSettings(kind, set);
        const names = listCredentialNames(settings);
        const credentials = await readCredentials(cli, names, credentialEnv ?? {});
        const input: SourceInput = { name, settings, prefixes: prefix ?? [], credentials };
        return await (await loadSources()).addSource(services, actor, input);
      },
      shows: ({ name }) => `"${name}" is added. Make a reference: hub secret-reference add`,
    }),
    command("set", "change a secret manager; settings that are not given stay", {
      takes: {
        name,
        newName: option("<name>", "another name"),
        ...shared,
      },
      async does({ services, actor }, given, cli) {
        const { listSources, loadSource, setSource } = await loadSources();
        const { id } = await loadSource(services.store.db, given.name);
        const before = (await listSources(services)).find((source) => source.id === id);
        const present: Record<string, unknown> = { ...before?.settings };
        const settings = toSettings(`${present.kind}`, { ...toTexts(present), ...given.set });
        const isSame = Bun.deepEquals(settings, before?.settings);
        const wanted = given.credentialEnv ?? {};
        const names =
          isSame && Object.keys(wanted).length === 0 ? [] : listCredentialNames(settings);
        const credentials = await readCredentials(cli, names, wanted);
        return await setSource(services, actor, id, {
          name: given.newName ?? before?.name ?? given.name,
          settings,
          prefixes: given.prefix ?? before?.prefixes ?? [],
          ...(names.length > 0 && { credentials }),
          ...(before !== undefined && { revision: before.revision }),
        });
      },
      shows: ({ name }) => `"${name}" is changed. What was read from it is dropped.`,
    }),
    command("delete", "remove a secret manager without references", {
      takes: { name },
      async does({ services, actor }, given) {
        const { deleteSource, loadSource } = await loadSources();
        const { id } = await loadSource(services.store.db, given.name);
        return await deleteSource(services, actor, id);
      },
      shows: ({ name }) => `"${name}" is removed.`,
    }),
  ],
);

/** Settings are texts on the command line; one of them is a number. */
function toSettings(kind: string, given: Readonly<Record<string, string>> = {}): SourceSettings {
  const { kv_version: version, ...others } = given;
  return checkInput(sourceSettingsSchema, {
    ...others,
    kind,
    ...(version !== undefined && { kv_version: Number(version) }),
  });
}

function toTexts({ kind: _, ...settings }: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, `${value}`]));
}

async function readCredentials(
  { terminal }: Cli,
  names: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const credentials: Record<string, string> = {};
  for (const [name, variable] of Object.entries(variables)) {
    credentials[name] = terminal.env[variable] ?? "";
  }
  for (const name of names) credentials[name] ??= await readSecret(terminal, name);
  return credentials;
}
