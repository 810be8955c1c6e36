import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { toTable } from "../table.ts";

const loadApplications = () => import("@hub/server/services/users/applications.ts");

export function define(app: Command, cli: Cli): void {
  app.addHelpText(
    "after",
    `
Examples:
  $ ${cli.name} app list
  $ ${cli.name} app list --user ada@example.com
  $ ${cli.name} app revoke 3f2a9c`,
  );

  app
    .command("list")
    .description("list the applications that users connected by OAuth")
    .option("--user <email>", "only this user's")
    .action((options: { user?: string }, command: Command) =>
      cli.answer(command, async ({ services, lookups }) => {
        const { listApplications } = await loadApplications();
        const userId = options.user && (await lookups.findUser(options.user)).id;
        const applications = await listApplications(services, { userId });
        const text = toTable(
          applications,
          [
            ["id", (shown) => shown.id],
            ["user", (shown) => shown.user],
            ["name", (shown) => shown.name],
            ["where", (shown) => shown.destination],
            ["last used", (shown) => shown.last_used_at ?? "never"],
            ["expires", (shown) => shown.expires_at],
          ],
          "No application is connected.",
        );
        return { json: applications, text };
      }),
    );

  app
    .command("revoke")
    .argument("<id>", "id of the application, or its first six characters or more")
    .description("disconnect an application; its next call is refused")
    .action((id: string, _: unknown, command: Command) =>
      cli.answer(command, async ({ services, actor, lookups }) => {
        const { revokeApplication } = await loadApplications();
        const applicationId = await lookups.findApplicationId(id);
        const revoked = await revokeApplication(services, actor, applicationId);
        return { json: revoked, text: `Disconnected "${revoked.name}" of ${revoked.user}.` };
      }),
    );
}
