import { apiPath } from "../api-path.ts";
import { defineOperation, fullInput } from "../operation.ts";
import { requestOne } from "../request-one.ts";

/** The account behind the token. */
export const user = {
  get_me: defineOperation({
    name: "Get me",
    description:
      "Get the account whose token this is: who am I on the code host.\n\nUse it to learn the login that list_repos, assignees and author: stand for.",
    input: fullInput,
    examples: [{ params: {} }],
    async run(ctx) {
      return await requestOne(ctx, { path: apiPath`/user` });
    },
  }),
};
