import { toDurationText } from "@hub/connector";
import { ProgramFailure } from "../../../connectors/program-failure.ts";
import { createMessageGate } from "../messages/message-gate.ts";
import { createOpenRequests } from "../messages/open-requests.ts";
import { readDetails } from "../results/to-upstream-error.ts";
import type { SessionLink } from "../sessions/open-mcp-session.ts";
import { describeOutput } from "./program-end.ts";
import type { Program, ProgramDeps } from "./start-mcp-program.ts";
import { StdioTransport } from "./stdio-transport.ts";

export type ProgramStart = {
  mode: SessionLink["mode"];
  /** What an earlier start has used of the limit of a start; 0 for the first one. */
  spentMs: number;
};

/** Servers of the older protocol may not answer the first request of the newer one at all. */
const probeMs = 5000;

/** The rest of the time of a start, after that first request or after an earlier start. */
const connectMsMin = 1000;

/** The transport over the standard streams of a program. */
export async function createStdioLink(
  deps: ProgramDeps,
  program: Program,
  { mode, spentMs }: ProgramStart,
): Promise<SessionLink> {
  const { parseJSONRPCMessage: parseMessage } = await import("@modelcontextprotocol/client");
  const { startMs, timers } = deps;
  const requests = createOpenRequests();
  const gate = createMessageGate<object>({ now: timers.now, requests });
  const transport = new StdioTransport(deps, program, { gate, parseMessage });
  const askedMs = Math.min(probeMs, startMs);
  const usedMs = spentMs + (mode === "auto" ? askedMs : 0);
  const toLate = (cause: unknown) => {
    const failure = transport.findFailure();
    const output = failure instanceof ProgramFailure ? failure.programOutput : "";
    const start = mode === "auto" ? "start" : "first start";
    return new ProgramFailure(
      `The program of this MCP server did not answer within ${toDurationText(startMs)} of its ${start}, so the hub ended it. If it downloads much, an admin can raise HUB_BRIDGE_START_SECONDS; if it waits for input, change its arguments. ${describeOutput(output)}`,
      output,
      { cause },
    );
  };

  return {
    transport,
    requests,
    mode,
    probeMs: askedMs,
    connectMs: usedMs === 0 ? startMs : Math.max(startMs - usedMs, connectMsMin),
    beginCall: () => ({ headers: {}, lost: new AbortController().signal, end() {} }),
    takesMemory: false,
    hasSessionId: () => false,
    terminate: async () => {},
    findFailure: () => transport.findFailure(),
    mayBeOlder: () => transport.mayStartAgain(),
    explainStart(thrown) {
      const isLate = readDetails(thrown).code === "REQUEST_TIMEOUT";
      if (!isLate || !transport.hasStarted()) return transport.findFailure() ?? thrown;
      transport.giveUp();
      // The hub has ended it, so that its end is not the reason.
      return toLate(thrown);
    },
  };
}
