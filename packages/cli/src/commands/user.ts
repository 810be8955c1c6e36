import type { SecondFactor } from "@hub/contract/second-factor.ts";
import type { User } from "@hub/contract/user.ts";
import { answeringCommand, command, group, list } from "../declare/command.ts";
import {
  argument,
  choice,
  findUserId,
  flag,
  option,
  repeated,
  tagOptions,
  toTagChange,
} from "../declare/parameters.ts";
import { detail, type Field, table } from "../declare/view.ts";

const loadUsers = () => import("@hub/server/services/users/manage-users.ts");
const loadAddUser = () => import("@hub/server/services/users/add-user.ts");
const loadPasswords = () => import("@hub/server/services/users/one-time-password.ts");

const fields: Field<User>[] = ["email", "name", "role", "status", "tags"];
const toUserFacts = detail<User>([...fields, "id"]);
const toFactorTable = table<SecondFactor>(
  ["name", "kind", ["added", "created_at"], ["last used", "last_used_at"]],
  "The user has no second factor.",
);
const toStatusText = ({ email, status }: User) => `${email} is ${status}.`;

const takes = {
  id: argument("<email>", undefined, findUserId),
};

export const define = group(
  {
    examples: [
      "user add ada@example.com --tag support",
      "user set ada@example.com --role admin --untag support",
      "user disable ada@example.com",
    ],
  },
  [
    answeringCommand("add", "add an active user", {
      takes: {
        email: argument("<email>"),
        admin: flag("the user sees and manages everything"),
        name: option("<name>", "display name (default: first part of the email)"),
        prepared: flag("the user signs in by single sign-on, first with this verified e-mail"),
        password: flag("create a one-time password and print it once"),
        tag: repeated("<tag>", "the user sees rows with this tag; may be repeated"),
      },
      async answers({ services, actor }, { tag: tags = [], ...given }, cli) {
        const { email, admin, name, prepared = false, password } = given;
        const { addUser } = await loadAddUser();
        const role = admin ? "admin" : "user";
        const added = await addUser(services, actor, { email, role, tags, name, prepared });
        const next = `To sign in: ${cli.name} user password ${added.email}\nFor a client: ${cli.name} token create --user ${added.email} --name NAME`;
        const text = `Added.\n\n${toUserFacts(added)}\n\n`;
        if (!password) return { json: added, text: text + next };
        const { setOneTimePassword } = await loadPasswords();
        const made = await setOneTimePassword(services, actor, added.id);
        const { one_time_password } = made;
        return { json: { ...added, one_time_password }, text: text + toPasswordText(made) };
      },
    }),
    list("list", "list all users", {
      reads: async ({ services }, _, page) => (await loadUsers()).listUsers(services, page),
      shows: table<User>(fields, "There are no users yet."),
    }),
    command("show", "show one user", {
      takes,
      does: async ({ services }, { id }) => (await loadUsers()).showUser(services, id),
      shows: toUserFacts,
    }),
    command("set", "change a user, from the next call on", {
      takes: {
        ...takes,
        name: option("<name>", "change the name"),
        role: choice("<role>", "change the role", ["admin", "user"]),
        ...tagOptions,
      },
      does: async ({ services, actor }, { id, name, role, ...tags }) =>
        (await loadUsers()).setUser(services, actor, id, { name, role, ...toTagChange(tags) }),
      shows: toUserFacts,
    }),
    command(
      "password",
      "create a one-time password, to be changed at sign-in; ends the user's sessions",
      {
        takes,
        does: async ({ services, actor }, { id }) =>
          (await loadPasswords()).setOneTimePassword(services, actor, id),
        shows: toPasswordText,
      },
    ),
    command(
      "unlock",
      "reset the counts of wrong passwords, so that the user can sign in without waiting",
      {
        takes,
        does: async ({ services, actor }, { id }) =>
          (await loadPasswords()).unlockUser(services, actor, id),
        shows: ({ email }) => `${email} can sign in without waiting.`,
      },
    ),
    command("factors", "list the user's second factors", {
      takes,
      does: async ({ services }, { id }) =>
        (await import("@hub/server/services/users/manage-factors.ts")).listFactors(services, id),
      shows: ({ factors, recovery_codes_left: left }) =>
        `${toFactorTable(factors)}\n\nRecovery codes left: ${left}`,
    }),
    command(
      "remove-factors",
      "remove all second factors of a user who has lost them; ends the user's sessions",
      {
        takes,
        does: async ({ services, actor }, { id }) =>
          (await import("@hub/server/services/users/manage-factors.ts")).removeAllFactors(
            services,
            actor,
            id,
          ),
        shows: ({ email, removed }) =>
          `Removed ${removed} second factor${removed === 1 ? "" : "s"} of ${email}.`,
      },
    ),
    command("unlink", "remove the user's single sign-on accounts; ends the user's sessions", {
      takes,
      async does({ services, actor }, { id }) {
        const { unlinkIdentities } = await import(
          "@hub/server/services/users/manage-identities.ts"
        );
        return await unlinkIdentities(services, actor, id);
      },
      shows: (unlinked) =>
        unlinked.map(({ email, issuer }) => `Unlinked ${email} at ${issuer}.`).join("\n"),
    }),
    command("disable", "disable a user and all their tokens", {
      takes,
      does: async ({ services, actor }, { id }) =>
        (await loadUsers()).disableUser(services, actor, id),
      shows: toStatusText,
    }),
    command("enable", "enable a user", {
      takes,
      does: async ({ services, actor }, { id }) =>
        (await loadUsers()).enableUser(services, actor, id),
      shows: toStatusText,
    }),
  ],
);

function toPasswordText(made: { email: string; one_time_password: string }): string {
  return `One-time password of ${made.email}, shown only once:\n\n  ${made.one_time_password}`;
}
