import type { Caller } from "../../caller.ts";
import { HubError } from "../../errors.ts";
import type { Params } from "../frames/frame.ts";
import { type MembersText, toMembers } from "../frames/write-frame.ts";
import type { Tool, ToolSet } from "../tool-set.ts";

/** The answer to `tools/list`. Each list is serialized once. */
export function createToolsList(
  tools: Pick<ToolSet, "list">,
): (ctx: { caller: Caller }, params: Params) => Promise<MembersText> {
  const answers = new WeakMap<readonly Tool[], MembersText>();
  return async ({ caller }, params) => {
    if (params.cursor !== undefined) {
      throw new HubError(
        "malformed_params",
        "This cursor is unknown: the tool list has one page. Leave the cursor out.",
      );
    }
    const list = await tools.list(caller);
    const known = answers.get(list);
    if (known !== undefined) return known;
    const answer = toMembers({ tools: list.map(toListed) });
    answers.set(list, answer);
    return answer;
  };
}

function toListed({ name, title, description, inputSchema, annotations }: Tool) {
  return { name, title, description, inputSchema, annotations };
}
