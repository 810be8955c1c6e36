import type { HttpRequest } from "../load/http-request.ts";
import { send } from "../load/send.ts";
import { openSession, readToolAnswer } from "./mcp-session.ts";

/** The request of the cheapest real operation, and its expected answer. */
export type WhoamiCall = { request: HttpRequest; expectedBody: string };

type WhoamiOptions = {
  tool?: "hub_execute" | "hub_read";
  /** So many calls in one message of `hub_read`. */
  count?: number;
};

/** A call of the `hub` connector's `whoami`, whose cost is nearly all the hub's. */
export async function findWhoami(
  hub: { url: string; token: string },
  { tool = "hub_execute", count }: WhoamiOptions = {},
): Promise<WhoamiCall> {
  const session = await openSession(hub);
  const found = JSON.stringify(await session.call("hub_search", { query: "Who am I" }));
  const toolId = /"(conn:[^"]+\/whoami)"/.exec(found)?.[1];
  if (toolId === undefined) throw new Error(`hub_search found no whoami: ${found.slice(0, 500)}`);
  const call = { tool_id: toolId, params: {} };
  const args = count === undefined ? call : { calls: Array.from({ length: count }, () => call) };
  const request = session.toCall(tool, args);
  const expectedBody = await send(request);
  readToolAnswer(expectedBody);
  return { request, expectedBody };
}
