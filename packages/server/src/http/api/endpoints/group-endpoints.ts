import { groupLinesInputSchema, groupLinesSchema, userGroupsSchema } from "@hub/contract/group.ts";
import { setGroups, showGroups } from "../../../services/groups/manage-groups.ts";
import * as userGroups from "../../../services/groups/show-user-groups.ts";
import { defineEndpoint } from "../endpoint.ts";
import { byUser } from "./path-params.ts";

export const listGroups = defineEndpoint({
  name: "listGroups",
  summary: "List what groups of the directory give",
  answer: groupLinesSchema,
  handle: ({ services }) => showGroups(services),
});

export const replaceGroups = defineEndpoint({
  name: "replaceGroups",
  summary: "Replace what groups of the directory give",
  description:
    "Applies at once to 500 users whose groups are known, in the background to the others of them, which `waiting` counts, and to the rest when their groups are read. Only for signed-in browsers; tokens are refused.",
  body: groupLinesInputSchema,
  answer: groupLinesSchema,
  failures: ["conflict"],
  handle: ({ services, actor, body }) => setGroups(services, actor, body),
});

export const showUserGroups = defineEndpoint({
  name: "showUserGroups",
  summary: "Show where the tags, the role and the state of a user come from",
  params: byUser,
  answer: userGroupsSchema,
  failures: ["not_found"],
  handle: ({ services, params }) => userGroups.showUserGroups(services, params.user),
});
