import type { Role, User } from "@hub/contract/user.ts";
import { type Command, Option } from "commander";
import type { Cli } from "../cli.ts";
import { collect, toList } from "../pairs.ts";
import { toFacts, toTable } from "../table.ts";

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
    .description("add a user, who may call tools at once")
    .option("--admin", "sees and manages everything")
    .option("--name <name>", "shown instead of the email's first part")
    .option("--password", "make a one-time password to sign in with, shown once")
    .option("--tag <tag>", "sees rows with this tag; may be repeated", collect)
    .action((email: string, options: AddOptions, command: Command) =>
      cli.answer(command, async ({ manager }) => {
        const added = await manager.users.add({
          email,
          role: options.admin ? "admin" : "user",
          tags: options.tag ?? [],
          ...(options.name !== undefined && { name: options.name }),
        });
        const next = `To sign in: ${cli.name} user password ${added.email}\nFor a client: ${cli.name} token create --user ${added.email} --name NAME`;
        const text = `Added.\n\n${toUserFacts(added)}\n\n`;
        if (!options.password) return { json: added, text: text + next };
        const made = await manager.users.setOneTimePassword(added.email);
        const { one_time_password } = made;
        return { json: { ...added, one_time_password }, text: text + toPasswordText(made) };
      }),
    );

  user
    .command("list")
    .description("list all users")
    .action((_: unknown, command: Command) =>
      cli.answer(command, async ({ manager }) => {
        const users = await manager.users.list();
        return { json: users, text: toUserTable(users) };
      }),
    );

  user
    .command("show")
    .argument("<email>")
    .description("show one user")
    .action((email: string, _: unknown, command: Command) =>
      cli.answer(command, async ({ manager }) => {
        const shown = await manager.users.show(email);
        return { json: shown, text: toUserFacts(shown) };
      }),
    );

  user
    .command("set")
    .argument("<email>")
    .description("change a user; a running server obeys at the next call")
    .option("--name <name>", "change the name")
    .addOption(new Option("--role <role>", "change the role").choices(["admin", "user"]))
    .option("--tag <tag>", "add a tag; may be repeated", collect)
    .option("--untag <tag>", "take a tag away; may be repeated", collect)
    .option("--tags <list>", "replace all tags by these, comma-separated")
    .action((email: string, options: SetOptions, command: Command) =>
      cli.answer(command, async ({ manager }) => {
        const changed = await manager.users.set(email, {
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
    .description("make a one-time password, to be changed at the next sign-in; ends sessions")
    .action((email: string, _: unknown, command: Command) =>
      cli.answer(command, async ({ manager }) => {
        const made = await manager.users.setOneTimePassword(email);
        return { json: made, text: toPasswordText(made) };
      }),
    );

  user
    .command("unlock")
    .argument("<email>")
    .description("forget wrong passwords, so that the user need not wait to sign in")
    .action((email: string, _: unknown, command: Command) =>
      cli.answer(command, async ({ manager }) => {
        const unlocked = await manager.users.unlock(email);
        return { json: unlocked, text: `${unlocked.email} can sign in without waiting.` };
      }),
    );

  user
    .command("unlink")
    .argument("<email>")
    .description("take away the accounts of single sign-on; ends sessions")
    .action((email: string, _: unknown, command: Command) =>
      cli.answer(command, async ({ manager }) => {
        const unlinked = await manager.identities.unlink(email);
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
      .description(verb === "disable" ? "shut a user out, tokens included" : "let a user in again")
      .action((email: string, _: unknown, command: Command) =>
        cli.answer(command, async ({ manager }) => {
          const changed = await manager.users[verb](email);
          return { json: changed, text: `${changed.email} is ${changed.status}.` };
        }),
      );
  }
}

function toPasswordText(made: { email: string; one_time_password: string }): string {
  return `One-time password of ${made.email}, shown now and never again:\n\n  ${made.one_time_password}`;
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
