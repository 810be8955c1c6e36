import { applicationSchema } from "@hub/contract/application.ts";
import { z } from "zod";
import * as applications from "../../../services/users/manage-applications.ts";
import { defineEndpoint } from "../endpoint.ts";
import { nextSchema, pageQuery } from "./page-query.ts";
import { ofUser } from "./path-params.ts";

const byApplication = z.object({
  application: z.uuid().meta({ description: "Id of a connected application." }),
});

export const listApplications = defineEndpoint({
  name: "listApplications",
  summary: "List the connected applications of all users",
  description: "In no order.",
  query: pageQuery.extend(ofUser.shape),
  answer: z.object({ applications: z.array(applicationSchema), next: nextSchema }),
  failures: ["not_found"],
  async handle({ services, query: { user, ...page } }) {
    const { items, next } = await applications.listApplicationPage(services, {
      userId: user,
      ...page,
    });
    return { applications: items, next };
  },
});

export const revokeApplication = defineEndpoint({
  name: "revokeApplication",
  needsSpace: false,
  summary: "Disconnect an application of any user",
  description: "Its tokens stop working at once.",
  params: byApplication,
  answer: applicationSchema,
  failures: ["not_found"],
  handle: ({ services, actor, params }) =>
    applications.revokeApplication(services, actor, params.application),
});

export const listOwnApplications = defineEndpoint({
  name: "listOwnApplications",
  summary: "List your connected applications",
  answer: z.object({ applications: z.array(applicationSchema) }),
  handle: async ({ services, caller }) => ({
    applications: await applications.listApplications(services, { userId: caller.userId }),
  }),
});

export const revokeOwnApplication = defineEndpoint({
  name: "revokeOwnApplication",
  needsSpace: false,
  summary: "Disconnect one of your applications",
  description: "Its tokens stop working at once.",
  params: byApplication,
  answer: applicationSchema,
  failures: ["not_found"],
  handle: ({ services, actor, caller, params: { application } }) =>
    applications.revokeApplication(services, actor, application, { of: caller.userId }),
});
