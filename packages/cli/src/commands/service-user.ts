import type { ServiceUser } from "@hub/contract/machine.ts";
import type { CreatedToken } from "@hub/contract/token.ts";
import { command, group } from "../declare/command.ts";
import {
  argument,
  choice,
  findUserId,
  flag,
  option,
  repeated,
  requiredOption,
  wholeNumber,
} from "../declare/parameters.ts";
import { detail, type Field, table } from "../declare/view.ts";
import { boundOptions, toBounds } from "../input/bounds.ts";
import { toList } from "../input/option-values.ts";

const loadServiceUsers = () => import("@hub/server/services/machines/manage-service-users.ts");

const fields: Field<ServiceUser>[] = [
  "name",
  "owner",
  "role",
  "status",
  ["works", ({ works }) => (works ? "yes" : "no")],
  "tags",
];
const toServiceFacts = detail<ServiceUser>([...fields, "id"]);

const takes = {
  id: argument("<name>", undefined, async ({ findServiceUserId }, name) => findServiceUserId(name)),
};

export const define = group(
  {
    examples: [
      "service-user add deploy-bot --owner ada@example.com --tag builds",
      "service-user token deploy-bot --name ci --row Tracker --expires-in-days 90",
      "service-user set deploy-bot --owner grace@example.com",
    ],
  },
  [
    command("add", "add a user for programs, without a password", {
      takes: {
        name: argument("<name>", "lower-case letters, digits and hyphens"),
        owner: requiredOption("<email>", "the person who answers for it", findUserId),
        admin: flag("it is an admin while its owner is one"),
        tag: repeated("<tag>", "it sees rows with this tag if its owner does; may be repeated"),
      },
      does: async ({ services, actor }, { name, owner, admin, tag: tags = [] }) =>
        (await loadServiceUsers()).addServiceUser(services, actor, {
          name,
          owner,
          role: admin ? "admin" : "user",
          tags,
        }),
      shows: toServiceFacts,
    }),
    command("list", "list all service users", {
      does: async ({ services }) => (await loadServiceUsers()).listServiceUsers(services),
      shows: table<ServiceUser>(fields, "There are no service users."),
    }),
    command("show", "show one service user", {
      takes,
      does: async ({ services }, { id }) =>
        (await loadServiceUsers()).showServiceUser(services, id),
      shows: toServiceFacts,
    }),
    command("set", "change a service user, or give it a new owner", {
      takes: {
        ...takes,
        owner: option("<email>", "the person who takes it over", findUserId),
        role: choice("<role>", "change the role", ["admin", "user"]),
        tags: option("<list>", "replace all tags by these, comma-separated", (_, text) =>
          toList(text),
        ),
      },
      does: async ({ services, actor }, { id, owner, role, tags }) =>
        (await loadServiceUsers()).changeServiceUser(services, actor, id, {
          ...(owner !== undefined && { owner }),
          ...(role !== undefined && { role }),
          ...(tags !== undefined && { tags }),
        }),
      shows: toServiceFacts,
    }),
    command("disable", "disable a service user and all of its tokens", {
      takes,
      does: async ({ services, actor }, { id }) =>
        (await loadServiceUsers()).changeServiceUser(services, actor, id, { status: "disabled" }),
      shows: ({ name }) => `${name} is disabled.`,
    }),
    command("enable", "enable a service user", {
      takes,
      does: async ({ services, actor }, { id }) =>
        (await loadServiceUsers()).changeServiceUser(services, actor, id, { status: "active" }),
      shows: ({ name }) => `${name} is active.`,
    }),
    command("token", "create a token of a service user, and print it once", {
      takes: {
        ...takes,
        name: requiredOption("<name>", "name of the token, shown in lists"),
        expiresInDays: wholeNumber("<number>", "lifetime of the token in days"),
        ...boundOptions,
      },
      async does({ services, actor, lookups }, { id, name, expiresInDays, ...bound }) {
        const bounds = await toBounds(lookups, bound);
        return await (await loadServiceUsers()).createServiceToken(services, actor, id, {
          name,
          ...(expiresInDays !== undefined && { expiresInDays }),
          ...(bounds !== undefined && { bounds }),
        });
      },
      shows: ({ token }: CreatedToken) => token,
      note: ({ expires_at }) =>
        `Copy the token now. It is never shown again. It expires at ${expires_at}.`,
    }),
  ],
);
