import {
  callPermitSchema,
  pendingCallDecisionSchema,
  pendingCallDeputySchema,
  pendingCallDetailSchema,
  pendingCallOutcomeSchema,
  pendingCallSchema,
  pendingCallStateSchema,
  waitingDecisionSchema,
} from "@hub/contract/pending-call.ts";
import { z } from "zod";
import * as decisions from "../../../services/pending/decide-pending-call.ts";
import * as calls from "../../../services/pending/list-pending-calls.ts";
import * as waiting from "../../../services/pending/list-waiting-decisions.ts";
import * as permits from "../../../services/pending/manage-permits.ts";
import * as deputies from "../../../services/pending/set-deputy.ts";
import { defineEndpoint } from "../endpoint.ts";
import { nextSchema, pageQuery } from "./page-query.ts";

const byCall = z.object({
  call: z.string().max(64).meta({ description: "Id of a call that waits, its `pending_id`." }),
});

export const listPendingCalls = defineEndpoint({
  name: "listPendingCalls",
  summary: "List calls that wait for a person, newest first",
  description:
    "Those of the caller, and those about which the caller is asked, also after their decision. Admins see all. A page can have fewer than the limit: it looks at 20,000 calls at most. `next` then goes on.",
  query: pageQuery.extend({
    state: pendingCallStateSchema.optional(),
    mine: z.enum(["true", "false"]).default("false").meta({
      description: "`true`: only those about which the caller is asked.",
    }),
    decided: z.enum(["true", "false"]).default("false").meta({
      description: "`true`: only those that wait no longer.",
    }),
    outcome: pendingCallOutcomeSchema.optional(),
    decidable: z.enum(["true", "false"]).default("false").meta({
      description: "`true`: only those that the caller may decide now.",
    }),
  }),
  answer: z.object({ calls: z.array(pendingCallSchema), next: nextSchema }),
  async handle({ services, caller, query: { mine, decided, decidable, ...query } }) {
    const { items, next } = await calls.listPendingCalls(services, caller, {
      ...query,
      isMine: mine === "true",
      isDecided: decided === "true",
      isDecidable: decidable === "true",
    });
    return { calls: items, next };
  },
});

export const listWaitingDecisions = defineEndpoint({
  name: "listWaitingDecisions",
  summary: "List what waits for the caller's decision, newest first",
  description:
    "The approvals of workflows and the calls that the caller may decide now, in a signed-in browser: at most 100.",
  answer: z.object({ decisions: z.array(waitingDecisionSchema) }),
  handle: async ({ services, caller }) => ({
    decisions: await waiting.listWaitingDecisions(services, caller),
  }),
});

export const showPendingCall = defineEndpoint({
  name: "showPendingCall",
  summary: "Show a call that waits, with its params",
  description:
    "For the user whose rights it has, for its deciders, and for admins. Others get the same answer as for a call that does not exist.",
  params: byCall,
  answer: pendingCallDetailSchema,
  failures: ["not_found"],
  handle: ({ services, caller, params }) => calls.showPendingCall(services, caller, params.call),
});

export const decidePendingCall = defineEndpoint({
  name: "decidePendingCall",
  needsSpace: false,
  summary: "Approve or deny a call",
  description:
    "In a signed-in browser, for those whom the rule lets decide. Where other users decide, users decide no call that acts as them, or that a workflow makes which they own, started or edited; and no call whose rule they changed, or whose right to decide they gave or got, since the question.",
  params: byCall,
  body: pendingCallDecisionSchema,
  answer: pendingCallDetailSchema,
  failures: ["bad_request", "not_found", "conflict"],
  handle: ({ services, actor, params, body }) =>
    decisions.decidePendingCall(services, actor, { id: params.call, ...body }),
});

export const setPendingCallDeputy = defineEndpoint({
  name: "setPendingCallDeputy",
  needsSpace: false,
  summary: "Name a deputy who may decide a call",
  description:
    "For users with a deciding tag who may decide it. The deputy may decide as long as they may.",
  params: byCall,
  body: pendingCallDeputySchema,
  answer: pendingCallDetailSchema,
  failures: ["bad_request", "not_found", "conflict"],
  handle: ({ services, actor, params, body }) =>
    deputies.setDeputy(services, actor, { id: params.call, ...body }),
});

export const listPermits = defineEndpoint({
  name: "listPermits",
  summary: "List permissions for an hour that are in force",
  description: "In no order: of the caller's own calls, for admins those of a user or of all.",
  query: pageQuery.extend({
    user: z.string().max(64).optional().meta({ description: "Id of a user." }),
  }),
  answer: z.object({ permits: z.array(callPermitSchema), next: nextSchema }),
  async handle({ services, caller, query: { user, ...page } }) {
    const { items, next } = await permits.listPermits(services, caller, { ...page, userId: user });
    return { permits: items, next };
  },
});

export const endPermit = defineEndpoint({
  name: "endPermit",
  needsSpace: false,
  summary: "End a permission for an hour",
  description:
    "For the user whose calls it permits, for who granted it, and for admins. The next call is asked about.",
  params: z.object({ permit: z.string().max(64).meta({ description: "Id of a permission." }) }),
  answer: z.object({ id: z.string() }),
  failures: ["not_found"],
  handle: ({ services, caller, actor, params }) =>
    permits.endPermit(services, { caller, actor }, params.permit),
});
