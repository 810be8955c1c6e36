import { applicationSchema } from "@hub/contract/application.ts";
import { z } from "zod";
import { defineEndpoint } from "../endpoint.ts";
import { ofUser } from "./path-params.ts";

const byApplication = z.object({
  application: z.uuid().meta({ description: "Id of a connected application." }),
});

export const listApplications = defineEndpoint({
  name: "listApplications",
  summary: "List the applications that users connected",
  query: ofUser,
  answer: z.object({ applications: z.array(applicationSchema) }),
  failures: ["not_found"],
  async handle({ manager, query }) {
    const user = await manager.users.findEmail(query.user);
    return { applications: await manager.applications.list(user === null ? {} : { user }) };
  },
});

export const revokeApplication = defineEndpoint({
  name: "revokeApplication",
  summary: "Cut an application off from anybody's account",
  description: "Its tokens end at once.",
  params: byApplication,
  answer: applicationSchema,
  failures: ["not_found"],
  handle: ({ manager, params }) => manager.applications.revoke(params.application),
});

export const listOwnApplications = defineEndpoint({
  name: "listOwnApplications",
  summary: "List the applications that one connected",
  answer: z.object({ applications: z.array(applicationSchema) }),
  handle: async ({ manager, caller }) => ({
    applications: await manager.applications.list({ user: caller.email }),
  }),
});

export const revokeOwnApplication = defineEndpoint({
  name: "revokeOwnApplication",
  summary: "Cut an application off from one's own account",
  description: "Its tokens end at once.",
  params: byApplication,
  answer: applicationSchema,
  failures: ["not_found"],
  handle: ({ manager, caller, params }) =>
    manager.applications.revoke(params.application, { user: caller.email }),
});
