import type { Application } from "@hub/contract/application.ts";
import { command, group } from "../declare/command.ts";
import { argument, findUserId, option } from "../declare/parameters.ts";
import { table } from "../declare/view.ts";

const loadApplications = () => import("@hub/server/services/users/manage-applications.ts");

export const define = group(
  { examples: ["app list", "app list --user ada@example.com", "app revoke 3f2a9c"] },
  [
    command("list", "list the applications that users connected by OAuth", {
      takes: {
        user: option("<email>", "only this user's", findUserId),
      },
      does: async ({ services }, { user: userId }) =>
        (await loadApplications()).listApplications(services, { userId }),
      shows: table<Application>(
        [
          "id",
          "user",
          "name",
          ["where", "destination"],
          ["last used", ({ last_used_at }) => last_used_at ?? "never"],
          ["expires", "expires_at"],
        ],
        "No application is connected.",
      ),
    }),
    command("revoke", "disconnect an application; its next call is refused", {
      takes: {
        id: argument(
          "<id>",
          "id of the application, or its first six characters or more",
          ({ findApplicationId }, typed) => findApplicationId(typed),
        ),
      },
      does: async ({ services, actor }, { id }) =>
        (await loadApplications()).revokeApplication(services, actor, id),
      shows: ({ name, user }: Application) => `Disconnected "${name}" of ${user}.`,
    }),
  ],
);
