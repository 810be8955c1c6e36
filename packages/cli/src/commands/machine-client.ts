import { readFile } from "node:fs/promises";
import { parseJson } from "@hub/connector";
import type { CreatedMachineClient, MachineClient } from "@hub/contract/machine.ts";
import { command, group } from "../declare/command.ts";
import { argument, option, requiredOption, wholeNumber } from "../declare/parameters.ts";
import { detail, type Field, table } from "../declare/view.ts";
import { boundOptions, toBounds } from "../input/bounds.ts";

const loadClients = () => import("@hub/server/services/machines/manage-machine-clients.ts");

const fields: Field<MachineClient>[] = [
  "id",
  "name",
  ["service user", "service_user"],
  "auth",
  ["last used", ({ last_used_at }) => last_used_at ?? "never"],
  ["expires", "expires_at"],
];

export const define = group(
  {
    examples: [
      "machine-client add --name ci --service-user deploy-bot",
      "machine-client add --name robot --service-user deploy-bot --jwks keys.json",
      "machine-client remove 11111111-2222-4333-8444-555555555555",
    ],
  },
  [
    command("add", "register a client that gets tokens without a browser", {
      takes: {
        name: requiredOption("<name>", "name of the client, shown in lists"),
        serviceUser: option(
          "<name>",
          "the service user that it acts as; without it, it only brings assertions of a company's provider",
          async ({ findServiceUserId }, name) => findServiceUserId(name),
        ),
        jwks: option(
          "<file>",
          "its public keys as a JSON Web Key Set; it signs for itself then, in place of a secret",
        ),
        expiresInDays: wholeNumber("<number>", "lifetime of the client in days"),
        ...boundOptions,
      },
      async does(
        { services, actor, lookups },
        { name, serviceUser, jwks, expiresInDays, ...bound },
      ) {
        const bounds = await toBounds(lookups, bound);
        return await (await loadClients()).addMachineClient(services, actor, {
          name,
          ...(serviceUser !== undefined && { serviceUser }),
          ...(jwks !== undefined && {
            auth: "private_key_jwt" as const,
            jwks: parseJson(await readFile(jwks, "utf8")),
          }),
          ...(expiresInDays !== undefined && { expiresInDays }),
          ...(bounds !== undefined && { bounds }),
        });
      },
      shows: detail<CreatedMachineClient>([
        ["client_id", "id"],
        ["client_secret", ({ client_secret }) => client_secret ?? "none: it signs with its key"],
      ]),
      note: ({ client_secret }) =>
        client_secret === null ? null : "Copy the secret now. It is never shown again.",
    }),
    command("list", "list the clients that get tokens without a browser", {
      does: async ({ services }) => (await loadClients()).listMachineClients(services),
      shows: table<MachineClient>(fields, "There are no machine clients."),
    }),
    command("remove", "delete a client; its next call is refused", {
      takes: { id: argument("<id>", "its client_id") },
      does: async ({ services, actor }, { id }) =>
        (await loadClients()).removeMachineClient(services, actor, id),
      shows: ({ name }: MachineClient) => `Deleted "${name}".`,
    }),
  ],
);
