import type { Role, User } from "@hub/contract/user.ts";
import { type Command, Option } from "commander";
import { readAllPages } from "../all-pages.ts";
import type { Cli } from "../cli.ts";
import { collect, toList } from "../pairs.ts";
import { toFacts, toTable } from "../table.ts";

const loadUsers = () => import("@hub/server/services/users/users.ts");
const loadPasswords = () => import("@hub/server/services/users/one-time-password.ts");

type AddOptions = { admin?: true; name?: string; password?: true; tag?: string[] };
type SetOptions = {
  name?: string;
  role?: Role;
  tag?: string[];
  untag?: string[];
  tags?: string;
};

export function define(user: Command, cli: Cli): void {
  user.addHelpText(
    "after",
    `
Examples:
  $ ${cli.name} user add ada@example.com --tag support
  $ ${cli.name} user set ada@example.com --role admin --untag support
  $ ${cli.name} user disable ada@example.com`,
  );

  user
    .command("add")
    .argument("<email>")
    .description("add an active user")
    .option("--admin", "the user sees and manages everything")
    .option("--name <name>", "display name (default: first part of the email)")
    .option("--password", "create a one-time password and print it once")
    .option("--tag <tag>", "the user sees rows with this tag; may be repeated", collect)
    .action((email: string, options: AddOptions, command: Command) =>
      cli.answer(command, async ({ services, actor }) => {
        const { addUser } = await loadUsers();
        const added = await addUser(services, actor, {
          email,
          role: options.admin ? "admin" : "user",
          tags: options.tag ?? [],
          ...(options.name !== undefined && { name: options.name }),
        });
        const next = `To sign in: ${cli.name} user password ${added.email}\nFor a client: ${cli.name} token create --user ${added.email} --name NAME`;
        const text = `Added.\n\n${toUserFacts(added)}\n\n`;
        if (!options.password) return { json: added, text: text + next };
        const { setOneTimePassword } = await loadPasswords();
        const made = await setOneTimePassword(services, actor, added.id);
        const { one_time_password } = made;
        return { json: { ...added, one_time_password }, text: text + toPasswordText(made) };
      }),
    );

  user
    .command("list")
    .description("list all users")
    .action((_: unknown, command: Command) =>
      cli.answer(command, async ({ services }) => {
        const { listUsers } = await loadUsers();
        const users = await readAllPages((page) => listUsers(services, page));
        return { json: users, text: toUserTable(users) };
      }),
    );

  user
    .command("show")
    .argument("<email>")
    .description("show one user")
    .action((email: string, _: unknown, command: Command) =>
      cli.answer(command, async ({ services, lookups }) => {
        const { showUser } = await loadUsers();
        const shown = await showUser(services, (await lookups.findUser(email)).id);
        return { json: shown, text: toUserFacts(shown) };
      }),
    );

  user
    .command("set")
    .argument("<email>")
    .description("change a user, from the next call on")
    .option("--name <name>", "change the name")
    .addOption(new Option("--role <role>", "change the role").choices(["admin", "user"]))
    .option("--tag <tag>", "add a tag; may be repeated", collect)
    .option("--untag <tag>", "remove a tag; may be repeated", collect)
    .option("--tags <list>", "replace all tags by these, comma-separated")
    .action((email: string, options: SetOptions, command: Command) =>
      cli.answer(command, async ({ services, actor, lookups }) => {
        const { setUser } = await loadUsers();
        const { id } = await lookups.findUser(email);
        const changed = await setUser(services, actor, id, {
          addTags: options.tag ?? [],
          removeTags: options.untag ?? [],
          ...(options.tags !== undefined && { tags: toList(options.tags) }),
          ...(options.name !== undefined && { name: options.name }),
          ...(options.role !== undefined && { role: options.role }),
        });
        return { json: changed, text: toUserFacts(changed) };
      }),
    );

  user
    .command("password")
    .argument("<email>")
    .description("create a one-time password, to be changed at sign-in; ends the user's sessions")
    .action((email: string, _: unknown, command: Command) =>
      cli.answer(command, async ({ services, actor, lookups }) => {
        const { setOneTimePassword } = await loadPasswords();
        const { id } = await lookups.findUser(email);
        const made = await setOneTimePassword(services, actor, id);
        return { json: made, text: toPasswordText(made) };
      }),
    );

  user
    .command("unlock")
    .argument("<email>")
    .description(
      "reset the counts of wrong passwords, so that the user can sign in without waiting",
    )
    .action((email: string, _: unknown, command: Command) =>
      cli.answer(command, async ({ services, actor, lookups }) => {
        const { unlockUser } = await loadPasswords();
        const { id } = await lookups.findUser(email);
        const unlocked = await unlockUser(services, actor, id);
        return { json: unlocked, text: `${unlocked.email} can sign in without waiting.` };
      }),
    );

  user
    .command("unlink")
    .argument("<email>")
    .description("remove the user's single sign-on accounts; ends the user's sessions")
    .action((email: string, _: unknown, command: Command) =>
      cli.answer(command, async ({ services, actor, lookups }) => {
        const { unlinkIdentities } = await import("@hub/server/services/users/identities.ts");
        const { id } = await lookups.findUser(email);
        const unlinked = await unlinkIdentities(services, actor, id);
        const lines = unlinked.map(
          (identity) => `Unlinked ${identity.email} at ${identity.issuer}.`,
        );
        return { json: unlinked, text: lines.join("\n") };
      }),
    );

  for (const verb of ["disable", "enable"] as const) {
    user
      .command(verb)
      .argument("<email>")
      .description(verb === "disable" ? "disable a user and all their tokens" : "enable a user")
      .action((email: string, _: unknown, command: Command) =>
        cli.answer(command, async ({ services, actor, lookups }) => {
          const switchUser = (await loadUsers())[`${verb}User`];
          const { id } = await lookups.findUser(email);
          const changed = await switchUser(services, actor, id);
          return { json: changed, text: `${changed.email} is ${changed.status}.` };
        }),
      );
  }
}

function toPasswordText(made: { email: string; one_time_password: string }): string {
  return `One-time password of ${made.email}, shown only once:\n\n  ${made.one_time_password}`;
}

function toUserTable(users: readonly User[]): string {
  return toTable(
    users,
    [
      ["email", (user) => user.email],
      ["name", (user) => user.name],
      ["role", (user) => user.role],
      ["status", (user) => user.status],
      ["tags", (user) => user.tags.join(", ")],
    ],
    "There are no users yet.",
  );
}

function toUserFacts(user: User): string {
  return toFacts([
    ["email", user.email],
    ["name", user.name],
    ["role", user.role],
    ["status", user.status],
    ["tags", user.tags.join(", ")],
    ["id", user.id],
  ]);
}
