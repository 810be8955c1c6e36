import type { Role, User } from "@hub/contract/user.ts";
import { type Command, Option } from "commander";
import type { Cli } from "../cli.ts";
import { collect, toList } from "../pairs.ts";
import { toFacts, toTable } from "../table.ts";

type AddOptions = { admin?: true; name?: string; tag?: string[] };
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
        return { json: added, text: `Added.\n\n${toUserFacts(added)}\n\n${next}` };
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
        const text = `One-time password of ${made.email}, shown now and never again:\n\n  ${made.one_time_password}`;
        return { json: made, text };
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
