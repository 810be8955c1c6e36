import { isJsonObject, UpstreamError } from "@hub/connector";
import type { Transport } from "@modelcontextprotocol/client";
import { ProgramFailure } from "../../../connectors/program-failure.ts";
import { checkMessage } from "../check-message.ts";
import { hideDigits } from "../keep-digits.ts";
import { createMessageGate } from "../messages/message-gate.ts";
import { createOpenRequests } from "../messages/open-requests.ts";
import type { SessionLink } from "../open-session.ts";
import { readDetails } from "../to-upstream-error.ts";
import { describeOutput, isOwnFailure } from "./program-end.ts";
import {
  type Program,
  type ProgramDeps,
  type RunningProgram,
  startProgram,
} from "./start-program.ts";

/** Servers of the older protocol may not answer the first request of the newer one at all. */
const probeMs = 5000;

/** The rest of the time of a start, after that first request. */
const connectMsMin = 1000;

/** Some programs of Windows write it first. */
const byteOrderMark = "\ufeff";

/** Whether a line that was read as UTF-8 is UTF-16: half of its bytes are 0, which JSON never has. */
const isUtf16 = (line: string) => line.slice(0, 4).includes("\0");

/** The transport over the standard streams of a program. */
export async function createStdioLink(
  deps: ProgramDeps,
  program: Program,
  mode: SessionLink["mode"],
): Promise<SessionLink> {
  const { parseJSONRPCMessage } = await import("@modelcontextprotocol/client");
  const requests = createOpenRequests();
  const gate = createMessageGate<object>({ now: deps.timers.now, requests });
  let running: RunningProgram | null = null;
  let failure: Error | null = null;
  let hasLoggedGarbage = false;
  let isFirst = true;
  let isHopeless = false;
  const askedMs = Math.min(probeMs, deps.startMs);

  function onLine(given: string): void {
    const line = isFirst && given.startsWith(byteOrderMark) ? given.slice(1) : given;
    if (isFirst && isUtf16(given)) {
      failure = new UpstreamError(
        "The program of this MCP server writes UTF-16. A server must write UTF-8, so its messages cannot be read. An admin can change how it is started.",
      );
      running?.kill();
    }
    isFirst = false;
    // After a broken message, the rest could be answers out of order.
    if (line.trim() === "" || failure !== null) return;
    try {
      checkMessage(line);
      const message: unknown = JSON.parse(hideDigits(line));
      if (!isJsonObject(message)) throw new Error("not a message");
      for (const one of gate.admit(message, message)) {
        transport.onmessage?.(parseJSONRPCMessage(one));
      }
    } catch (thrown) {
      if (thrown instanceof UpstreamError) {
        // The answer to a call is lost with it.
        failure = thrown;
        running?.kill();
      }
      if (hasLoggedGarbage) return;
      hasLoggedGarbage = true;
      deps.log.warn(
        { row: program.rowId },
        "An MCP server wrote a line to stdout that is not a message. Further ones are not logged.",
      );
    }
  }

  // By these names the library knows a program: one that does not answer its first request in time, such as one that is
  // still being downloaded, gets the older protocol's, and is not started again.
  const transport: Transport & { pid: null; stderr: null } = {
    ...{ pid: null, stderr: null },
    async start() {
      running = startProgram(deps, program, {
        onLine,
        onLongLine() {
          failure ??= new UpstreamError("The MCP server sent a message that is too large.");
          // The answer to a call is lost with it.
          running?.kill();
        },
      });
      const { ended, readLastLines } = running;
      ended.then((end) => {
        if (failure === null) {
          const output = readLastLines();
          isHopeless = isOwnFailure(end, output);
          failure = new ProgramFailure(
            `The program of this MCP server has ended. ${end.reason} ${describeOutput(output)}`,
            output,
          );
        }
        transport.onclose?.();
      });
    },
    async send(message) {
      if (running === null) throw new UpstreamError("The program of this row is not running.");
      running.writeLine(JSON.stringify(message));
    },
    async close() {
      await running?.stop();
    },
  };

  return {
    transport,
    requests,
    connectMs: mode === "auto" ? Math.max(deps.startMs - askedMs, connectMsMin) : deps.startMs,
    mode,
    probeMs: askedMs,
    beginCall: () => ({ headers: {}, lost: new AbortController().signal, end() {} }),
    takesMemory: false,
    hasSessionId: () => false,
    terminate: async () => {},
    findFailure: () => failure,
    mayBeOlder: () => failure !== null && !isHopeless,
    explainStart(thrown) {
      const isLate = readDetails(thrown).code === "REQUEST_TIMEOUT";
      // The hub has ended it, so that its end is not the reason.
      if (!isLate || running === null) return failure ?? thrown;
      isHopeless = true;
      const output = failure instanceof ProgramFailure ? failure.programOutput : "";
      return new ProgramFailure(
        `The program of this MCP server did not answer within ${deps.startMs / 1000} s of its start, so the hub ended it. If it downloads much, an admin can raise HUB_BRIDGE_START_SECONDS; if it waits for input, change its arguments. ${describeOutput(output)}`,
        output,
        { cause: thrown },
      );
    },
  };
}
