import type { CreatedScimClient, ScimClient } from "@hub/contract/scim-client.ts";
import { command, group, list } from "../declare/command.ts";
import {
  argument,
  findUserId,
  option,
  repeated,
  requiredOption,
  wholeNumber,
} from "../declare/parameters.ts";
import { table } from "../declare/view.ts";
import type { Lookups } from "../look-ups/look-up-names.ts";

const loadClients = () => import("@hub/server/services/scim/manage-scim-clients.ts");
const loadGiving = () => import("@hub/server/services/scim/give-user.ts");

const findClient = ({ findScimClientId }: Lookups, typed: string) => findScimClientId(typed);
const client = argument("<client>", "name of the SCIM client, or its id", findClient);
const lifetime = wholeNumber("<number>", "lifetime of the token in days, 1 to 730; default: 365");

export const define = group(
  {
    examples: [
      "scim add Okta --issuer https://example.okta.com",
      "scim add Entra --address 20.190.128.0/18 --expires-in-days 180",
      "scim rotate Okta",
      "scim give ada@example.com --client Okta",
    ],
  },
  [
    command("add", "make a SCIM client and print its token once", {
      takes: {
        name: argument("<name>", "name of the client, shown in the record of changes"),
        issuer: option("<url>", "single sign-on issuer whose users it may change"),
        address: repeated("<address>", "address or network that it may use; may be repeated"),
        expiresInDays: lifetime,
      },
      does: async ({ services, actor }, { name, issuer, address: addresses, expiresInDays }) =>
        (await loadClients()).createScimClient(services, actor, {
          name,
          issuer,
          addresses,
          expiresInDays,
        }),
      shows: ({ token }: CreatedScimClient) => token,
      note: () => "Copy the token now. It is never shown again.",
    }),
    list("list", "list the SCIM clients", {
      reads: async ({ services }) => ({
        items: await (await loadClients()).listScimClients(services),
        next: null,
      }),
      shows: table<ScimClient>(
        [
          "name",
          ["token", ({ last_four }) => `…${last_four}`],
          ["issuer", ({ issuer }) => issuer ?? "none"],
          ["addresses", ({ addresses }) => addresses?.join(", ") ?? "any"],
          "users",
          "groups",
          ["last used", ({ last_used_at }) => last_used_at ?? "never"],
          ["expires", "expires_at"],
          "id",
        ],
        "There are no SCIM clients.",
      ),
    }),
    command("rotate", "give a SCIM client another token and print it once; the old one ends", {
      takes: { id: client, expiresInDays: lifetime },
      does: async ({ services, actor }, { id, ...input }) =>
        (await loadClients()).rotateScimToken(services, actor, id, input),
      shows: ({ token }: CreatedScimClient) => token,
      note: () => "Copy the token now. It is never shown again.",
    }),
    command("remove", "remove a SCIM client; its users stay, and its groups give nothing", {
      takes: { id: client },
      does: async ({ services, actor }, { id }) =>
        (await loadClients()).removeScimClient(services, actor, id),
      shows: ({ name, users }: ScimClient) => `Removed "${name}". Its ${users} users stay.`,
    }),
    command("give", "let a SCIM client change and disable a user", {
      takes: {
        userId: argument("<email>", "a user without a password", findUserId),
        client: requiredOption("<name>", "the SCIM client", findClient),
      },
      does: async ({ services, actor }, { userId, client: clientId }) =>
        (await loadGiving()).giveUser(services, actor, { clientId, userId }),
      shows: ({ email }) => `${email} belongs to the SCIM client.`,
    }),
    command("release", "take a user from its SCIM client", {
      takes: { userId: argument("<email>", undefined, findUserId) },
      does: async ({ services, actor }, { userId }) =>
        (await loadGiving()).releaseUser(services, actor, userId),
      shows: ({ email }) => `${email} belongs to no SCIM client.`,
    }),
  ],
);
