import { sessionSchema } from "@hub/contract/session.ts";
import { z } from "zod";
import * as sessions from "../../../services/users/sessions.ts";
import { defineEndpoint } from "../endpoint.ts";
import { byUser, ofUser } from "./path-params.ts";

const bySession = z.object({ session: z.uuid().meta({ description: "Id of a session." }) });
const endedSchema = z.object({ id: z.uuid() });

export const listSessions = defineEndpoint({
  name: "listSessions",
  summary: "List everybody's signed-in browsers",
  query: ofUser,
  answer: z.object({ sessions: z.array(sessionSchema) }),
  failures: ["not_found"],
  handle: async ({ services, query }) => ({
    sessions: await sessions.listSessions(services, { userId: query.user }),
  }),
});

export const endSession = defineEndpoint({
  name: "endSession",
  summary: "Sign anybody's browser out",
  params: bySession,
  answer: endedSchema,
  failures: ["not_found"],
  handle: ({ services, actor, params }) => sessions.endSession(services, actor, params.session),
});

export const endUserSessions = defineEndpoint({
  name: "endUserSessions",
  summary: "Sign all of a user's browsers out",
  params: byUser,
  answer: z.object({ ended: z.int() }),
  failures: ["not_found"],
  handle: ({ services, actor, params }) => sessions.endAllSessions(services, actor, params.user),
});

export const listOwnSessions = defineEndpoint({
  name: "listOwnSessions",
  summary: "List one's own signed-in browsers",
  answer: z.object({
    sessions: z.array(
      sessionSchema.extend({ current: z.boolean().meta({ description: "The one that asks." }) }),
    ),
  }),
  async handle({ services, caller, sessionId }) {
    const own = await sessions.listSessions(services, { userId: caller.userId });
    return { sessions: own.map((one) => ({ ...one, current: one.id === sessionId })) };
  },
});

export const endOwnSession = defineEndpoint({
  name: "endOwnSession",
  summary: "Sign one of one's own browsers out",
  params: bySession,
  answer: endedSchema,
  failures: ["not_found"],
  handle: ({ services, actor, caller, params }) =>
    sessions.endSession(services, actor, params.session, { of: caller.userId }),
});

export const endOtherSessions = defineEndpoint({
  name: "endOtherSessions",
  summary: "Sign all of one's own browsers out but the one that asks",
  answer: z.object({ ended: z.int() }),
  handle: ({ services, actor, caller, sessionId }) =>
    sessions.endAllSessions(
      services,
      actor,
      caller.userId,
      sessionId === null ? {} : { except: sessionId },
    ),
});
