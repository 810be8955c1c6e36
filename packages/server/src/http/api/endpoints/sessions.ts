import { sessionSchema } from "@hub/contract/session.ts";
import { z } from "zod";
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
  async handle({ manager, query }) {
    const user = await manager.users.findEmail(query.user);
    return { sessions: await manager.sessions.list(user === null ? {} : { user }) };
  },
});

export const endSession = defineEndpoint({
  name: "endSession",
  summary: "Sign anybody's browser out",
  params: bySession,
  answer: endedSchema,
  failures: ["not_found"],
  handle: ({ manager, params }) => manager.sessions.end(params.session),
});

export const endUserSessions = defineEndpoint({
  name: "endUserSessions",
  summary: "Sign all of a user's browsers out",
  params: byUser,
  answer: z.object({ ended: z.int() }),
  failures: ["not_found"],
  async handle({ manager, params }) {
    const { email } = await manager.users.showById(params.user);
    return await manager.sessions.endAll(email);
  },
});

export const listOwnSessions = defineEndpoint({
  name: "listOwnSessions",
  summary: "List one's own signed-in browsers",
  answer: z.object({
    sessions: z.array(
      sessionSchema.extend({ current: z.boolean().meta({ description: "The one that asks." }) }),
    ),
  }),
  async handle({ manager, caller, sessionId }) {
    const sessions = await manager.sessions.list({ user: caller.email });
    return { sessions: sessions.map((one) => ({ ...one, current: one.id === sessionId })) };
  },
});

export const endOwnSession = defineEndpoint({
  name: "endOwnSession",
  summary: "Sign one of one's own browsers out",
  params: bySession,
  answer: endedSchema,
  failures: ["not_found"],
  handle: ({ manager, caller, params }) =>
    manager.sessions.end(params.session, { of: caller.email }),
});

export const endOtherSessions = defineEndpoint({
  name: "endOtherSessions",
  summary: "Sign all of one's own browsers out but the one that asks",
  answer: z.object({ ended: z.int() }),
  handle: ({ manager, caller, sessionId }) =>
    manager.sessions.endAll(caller.email, sessionId === null ? {} : { except: sessionId }),
});
