import type {
  ReferenceInput,
  SecretDestination,
  SecretRead,
  SecretReference,
} from "@hub/contract/secret-source.ts";
import { command, group } from "../declare/command.ts";
import { argument, flag, option, repeated, requiredOption } from "../declare/parameters.ts";
import { table } from "../declare/view.ts";
import { confirmAddresses } from "../rows/confirm-addresses.ts";
import { rowArgument } from "../rows/row-argument.ts";

const loadRows = () => import("@hub/server/services/secret-sources/confirm-rows.ts");
const loadReferences = () => import("@hub/server/services/secret-sources/manage-references.ts");

const name = argument("<name>", "name or id of a reference");
const settings = {
  field: option("<field>", "member of a secret that has several"),
  secretVersion: option("<version>", "a version in the place of the current one"),
  tag: repeated("<tag>", "users with this tag may name it in workflows; may be repeated"),
  row: repeated(
    "<row>",
    "id, first characters of the id, or label of a row that may get it; may be repeated",
  ),
  address: repeated(
    "<address>",
    "an address of these rows that you have seen: in scripts, in the place of an answer; may be repeated",
  ),
  toHost: repeated(
    "<host>",
    "a host that any row may send it to over https, or http://<host>; may be repeated",
  ),
};

const readTable = table<SecretRead>(
  ["at", "outcome", "version", "reason"],
  "The secret has not been read yet.",
);

export const define = group(
  {
    about:
      "A reference says which secret of a secret manager rows and workflows may use, and where it may be sent.",
    examples: [
      'secret-reference add "Tracker token" --source Vault --path apps/hub/tracker --field token --row Tracker',
      'secret-reference use "Tracker token" Tracker token',
    ],
  },
  [
    command("list", "list the references with what uses them", {
      does: async ({ services }) => (await loadReferences()).listReferences(services),
      shows: table<SecretReference>(
        [
          "name",
          ["manager", ({ source }) => source.name],
          ["path", ({ path, field }) => (field === "" ? path : `${path} (${field})`)],
          ["goes to", toDestinationText],
          ["used by", ({ used_by: uses }) => uses.map(({ name }) => name).join(", ")],
          ["last read", ({ last_read: read }) => read?.reason ?? read?.at ?? "never"],
        ],
        "There are no references.",
      ),
    }),
    command("add", "add a reference to a secret", {
      takes: {
        name: argument("<name>", "a name of your choice"),
        source: requiredOption("<source>", "name or id of a secret manager"),
        path: requiredOption("<path>", "of the secret in its manager"),
        ...settings,
      },
      async does({ services, actor, lookups }, given, { terminal }) {
        const rows = await Promise.all((given.row ?? []).map((row) => lookups.findRowId(row)));
        const seen = await (await loadRows()).listRowDestinations(services, rows);
        await confirmAddresses(terminal, seen, given.address ?? []);
        const input: ReferenceInput = {
          name: given.name,
          source: given.source,
          path: given.path,
          field: given.field ?? "",
          version: given.secretVersion ?? null,
          tags: given.tag ?? [],
          rows,
          confirm_rows: toConfirmed(seen),
          hosts: given.toHost ?? [],
        };
        return await (await loadReferences()).addReference(services, actor, input);
      },
      shows: ({ name }) => `The reference "${name}" is added.`,
    }),
    command("set", "change a reference; what is not given stays", {
      takes: {
        name,
        path: option("<path>", "of the secret in its manager"),
        ...settings,
        confirm: flag("show the addresses that its rows have now, and confirm them"),
      },
      async does({ services, actor, lookups }, given, { terminal }) {
        const { listReferences, loadReference, setReference } = await loadReferences();
        const { id } = await loadReference(services.store.db, given.name);
        const before = (await listReferences(services)).find((reference) => reference.id === id);
        const rows =
          given.row === undefined
            ? (before?.rows ?? []).map((row) => row.id)
            : await Promise.all(given.row.map((row) => lookups.findRowId(row)));
        const added = rows.filter((row) => before?.rows.every(({ id }) => id !== row));
        const unseen = given.confirm ? rows : added;
        const seen = await (await loadRows()).listRowDestinations(services, unseen);
        await confirmAddresses(terminal, seen, given.address ?? []);
        return await setReference(services, actor, id, {
          name: before?.name ?? given.name,
          source: before?.source.id ?? "",
          path: given.path ?? before?.path ?? "",
          field: given.field ?? before?.field ?? "",
          version: given.secretVersion ?? before?.version ?? null,
          tags: given.tag ?? before?.tags ?? [],
          rows,
          confirm_rows: toConfirmed(seen),
          hosts: given.toHost ?? before?.hosts ?? [],
          ...(before !== undefined && { revision: before.revision }),
        });
      },
      shows: ({ name }) => `The reference "${name}" is changed.`,
    }),
    command("use", "take a secret field of a row from a reference", {
      takes: { name, row: rowArgument, field: argument("<field>", "key of a secret field") },
      async does({ services, actor }, { name, row, field }) {
        const { nameInRow } = await import("@hub/server/services/secret-sources/name-in-row.ts");
        return await nameInRow(services, actor, row, { field, reference: name });
      },
      shows: ({ label }) => `"${label}" takes the secret from its manager from the next call on.`,
    }),
    command("read", "read the secret now, and say what came of it without its value", {
      takes: { name },
      does: async ({ services, actor }, given) => [
        await (await loadReferences()).refreshReference(services, actor, given.name),
      ],
      shows: readTable,
    }),
    command("reads", "list the last reads of the secret", {
      takes: { name },
      does: async ({ services }, given) => (await loadReferences()).listReads(services, given.name),
      shows: readTable,
    }),
    command("delete", "remove a reference", {
      takes: { name },
      async does({ services, actor }, given) {
        const { deleteReference, loadReference } = await loadReferences();
        const { id } = await loadReference(services.store.db, given.name);
        return await deleteReference(services, actor, id);
      },
      shows: ({ name }) => `The reference "${name}" is removed.`,
    }),
  ],
);

const toConfirmed = (seen: readonly SecretDestination[]) =>
  seen.map(({ id, addresses }) => ({ id, addresses }));

function toDestinationText({ rows, hosts }: SecretReference): string {
  const named = rows.map(({ id, label, is_current: isCurrent }) =>
    isCurrent ? (label ?? id) : `${label ?? id} (address changed)`,
  );
  return [...named, ...hosts].join(", ") || "nothing";
}
