import { applicationSchema } from "@hub/contract/application.ts";
import { z } from "zod";
import * as applications from "../../../services/users/applications.ts";
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
  handle: async ({ services, query }) => ({
    applications: await applications.listApplications(services, { userId: query.user }),
  }),
});

export const revokeApplication = defineEndpoint({
  name: "revokeApplication",
  summary: "Cut an application off from anybody's account",
  description: "Its tokens end at once.",
  params: byApplication,
  answer: applicationSchema,
  failures: ["not_found"],
  handle: ({ services, actor, params }) =>
    applications.revokeApplication(services, actor, params.application),
});

export const listOwnApplications = defineEndpoint({
  name: "listOwnApplications",
  summary: "List the applications that one connected",
  answer: z.object({ applications: z.array(applicationSchema) }),
  handle: async ({ services, caller }) => ({
    applications: await applications.listApplications(services, { userId: caller.userId }),
  }),
});

export const revokeOwnApplication = defineEndpoint({
  name: "revokeOwnApplication",
  summary: "Cut an application off from one's own account",
  description: "Its tokens end at once.",
  params: byApplication,
  answer: applicationSchema,
  failures: ["not_found"],
  handle: ({ services, actor, caller, params: { application } }) =>
    applications.revokeApplication(services, actor, application, { of: caller.userId }),
});
