import { apiPath } from "../api-path.ts";
import { defineOperation, fullInput } from "../define-operation.ts";
import { requestOne } from "../request-one.ts";

/** The account of the token. */
export const user = {
  get_me: defineOperation({
    name: "Get me",
    description:
      "Get the token's account on the code host.\n\nUse it to find your login, such as for assignees and author:.",
    reads: true,
    input: fullInput,
    examples: [{ params: {} }],
    async run(ctx) {
      return await requestOne(ctx, { path: apiPath`/user` });
    },
  }),
};
