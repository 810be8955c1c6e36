import { HubError } from "../../errors.ts";
import type { Params } from "../frame.ts";
import type { MetaTool } from "../tools/define-meta-tool.ts";
import { type MembersText, toMembers } from "../write-frame.ts";

/** The answer to `tools/list`, serialized once: it is the same for every user. */
export function createToolsList(tools: readonly MetaTool[]): (params: Params) => MembersText {
  const answer = toMembers({
    tools: tools.map(({ name, title, description, inputSchema, annotations }) => ({
      name,
      title,
      description,
      inputSchema,
      annotations,
    })),
  });
  return (params) => {
    if (params.cursor === undefined) return answer;
    throw new HubError(
      "malformed_params",
      "This cursor is unknown: the tool list has one page. Leave the cursor out.",
    );
  };
}
