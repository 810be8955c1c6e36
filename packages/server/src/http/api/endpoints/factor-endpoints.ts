import { secondFactorsSchema } from "@hub/contract/second-factor.ts";
import { z } from "zod";
import * as factors from "../../../services/users/manage-factors.ts";
import { defineEndpoint } from "../endpoint.ts";
import { byUser } from "./path-params.ts";

export const listOwnFactors = defineEndpoint({
  name: "listOwnFactors",
  summary: "List your second factors",
  description: "They are added at /profile/second-factor, in a browser.",
  answer: secondFactorsSchema,
  handle: ({ services, caller }) => factors.listFactors(services, caller.userId),
});

export const removeOwnFactor = defineEndpoint({
  name: "removeOwnFactor",
  needsSpace: false,
  summary: "Remove one of your second factors",
  description: "With the last one, your recovery codes go. Needs a fresh sign-in.",
  params: z.object({ factor: z.uuid().meta({ description: "Id of a second factor." }) }),
  answer: secondFactorsSchema,
  failures: ["not_found", "conflict", "fresh_sign_in_required"],
  handle: ({ services, actor, params }) => factors.removeOwnFactor(services, actor, params.factor),
});

export const listUserFactors = defineEndpoint({
  name: "listUserFactors",
  summary: "List a user's second factors",
  params: byUser,
  answer: secondFactorsSchema,
  failures: ["not_found"],
  handle: ({ services, params }) => factors.listFactors(services, params.user),
});

export const removeUserFactors = defineEndpoint({
  name: "removeUserFactors",
  needsSpace: false,
  summary: "Remove all second factors of a user who has lost them",
  description: "The user's sessions end and the recovery codes go. Needs a fresh sign-in.",
  params: byUser,
  answer: z.object({ email: z.string(), removed: z.int() }),
  failures: ["not_found", "fresh_sign_in_required"],
  handle: ({ services, actor, params }) => factors.removeAllFactors(services, actor, params.user),
});
