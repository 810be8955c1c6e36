import type { HttpRequest } from "../load/http-request.ts";
import { send } from "../load/send.ts";
import { openSession, readToolAnswer } from "./mcp-session.ts";

/** The request of the cheapest real operation, and its expected answer. */
export type WhoamiCall = { request: HttpRequest; expectedBody: string };

/** `hub_execute` of the `hub` connector's `whoami`, whose cost is nearly all the hub's. */
export async function findWhoami(hub: { url: string; token: string }): Promise<WhoamiCall> {
  const session = await openSession(hub);
  const found = JSON.stringify(await session.call("hub_search", { query: "Who am I" }));
  const toolId = /"(conn:[^"]+\/whoami)"/.exec(found)?.[1];
  if (toolId === undefined) throw new Error(`hub_search found no whoami: ${found.slice(0, 500)}`);
  const request = session.toCall("hub_execute", { tool_id: toolId, params: {} });
  const expectedBody = await send(request);
  readToolAnswer(expectedBody);
  return { request, expectedBody };
}
