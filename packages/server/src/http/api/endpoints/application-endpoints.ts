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
  query: pageQuery.extend({
    ...ofUser.shape,
    q: z.string().max(200).optional().meta({
      description: "Text in the client's name, its redirect URI or the user's e-mail, in any case.",
    }),
  }),
  answer: z.object({
    applications: z.array(applicationSchema),
    next: nextSchema,
    total: z.int().meta({ description: "How many applications match, on all pages." }),
  }),
  failures: ["not_found"],
  async handle({ services, query: { user, q, ...page } }) {
    const { items, next, total } = await applications.listApplicationPage(services, {
      userId: user,
      text: q === "" ? undefined : q,
      ...page,
    });
    return { applications: items, next, total };
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
