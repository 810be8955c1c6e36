import { sessionSchema } from "@hub/contract/session.ts";
import { z } from "zod";
import * as sessions from "../../../services/users/manage-sessions.ts";
import { defineEndpoint } from "../endpoint.ts";
import { nextSchema, pageQuery } from "./page-query.ts";
import { byUser, ofUser } from "./path-params.ts";

const bySession = z.object({ session: z.uuid().meta({ description: "Id of a session." }) });
const endedSchema = z.object({ id: z.uuid() });

export const listSessions = defineEndpoint({
  name: "listSessions",
  summary: "List the signed-in browsers of all users",
  query: pageQuery.extend(ofUser.shape),
  answer: z.object({ sessions: z.array(sessionSchema), next: nextSchema }),
  failures: ["not_found"],
  async handle({ services, query: { user, ...page } }) {
    const { items, next } = await sessions.listSessionPage(services, { userId: user, ...page });
    return { sessions: items, next };
  },
});

export const endSession = defineEndpoint({
  name: "endSession",
  needsSpace: false,
  summary: "Sign out a browser of any user",
  params: bySession,
  answer: endedSchema,
  failures: ["not_found"],
  handle: ({ services, actor, params }) => sessions.endSession(services, actor, params.session),
});

export const endUserSessions = defineEndpoint({
  name: "endUserSessions",
  needsSpace: false,
  summary: "Sign out all browsers of a user",
  params: byUser,
  answer: z.object({ ended: z.int() }),
  failures: ["not_found"],
  handle: ({ services, actor, params }) => sessions.endAllSessions(services, actor, params.user),
});

export const listOwnSessions = defineEndpoint({
  name: "listOwnSessions",
  summary: "List your signed-in browsers",
  answer: z.object({
    sessions: z.array(
      sessionSchema.extend({
        current: z.boolean().meta({ description: "The session of this request." }),
      }),
    ),
  }),
  async handle({ services, caller, sessionId }) {
    const own = await sessions.listSessions(services, { userId: caller.userId });
    return { sessions: own.map((one) => ({ ...one, current: one.id === sessionId })) };
  },
});

export const endOwnSession = defineEndpoint({
  name: "endOwnSession",
  needsSpace: false,
  summary: "Sign out one of your browsers",
  params: bySession,
  answer: endedSchema,
  failures: ["not_found"],
  handle: ({ services, actor, caller, params }) =>
    sessions.endSession(services, actor, params.session, { of: caller.userId }),
});

export const endOtherSessions = defineEndpoint({
  name: "endOtherSessions",
  needsSpace: false,
  summary: "Sign out all your browsers except this one",
  answer: z.object({ ended: z.int() }),
  handle: ({ services, actor, caller, sessionId }) =>
    sessions.endAllSessions(
      services,
      actor,
      caller.userId,
      sessionId === null ? {} : { except: sessionId },
    ),
});
