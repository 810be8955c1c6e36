import { isJsonObject, UpstreamError } from "@hub/connector";
import type { parseJSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { ProgramFailure } from "../../../connectors/program-failure.ts";
import { checkMessage } from "../check-message.ts";
import type { MessageGate } from "../messages/message-gate.ts";
import { hideDigits } from "../results/keep-digits.ts";
import { describeOutput, isOwnFailure } from "./program-end.ts";
import type { ProgramEnd, RunningProgram } from "./program-process.ts";
import { type Program, type ProgramDeps, startProgram } from "./start-mcp-program.ts";

/** The library's reader is loaded with it. */
type Reading = { gate: MessageGate<object>; parseMessage: typeof parseJSONRPCMessage };

/** Some programs of Windows write it first. */
const byteOrderMark = "\ufeff";

/** Whether a line that was read as UTF-8 is UTF-16: half of its bytes are 0, which JSON never has. */
const isUtf16 = (line: string) => line.slice(0, 4).includes("\0");

/** The standard streams of a program, as the client library uses them. */
export class StdioTransport implements Transport {
  // By these names the library knows a program: one that does not answer its first request in time, such as one that is
  // still being downloaded, gets the older protocol's, and is not started again.
  readonly pid = null;
  readonly stderr = null;
  onclose: Transport["onclose"];
  onmessage: Transport["onmessage"];
  readonly #deps: ProgramDeps;
  readonly #program: Program;
  readonly #reading: Reading;
  #running: RunningProgram | null = null;
  #failure: Error | null = null;
  #hasLoggedGarbage = false;
  #isFirst = true;
  #isHopeless = false;

  constructor(deps: ProgramDeps, program: Program, reading: Reading) {
    this.#deps = deps;
    this.#program = program;
    this.#reading = reading;
  }

  async start(): Promise<void> {
    const running = startProgram(this.#deps, this.#program, {
      onLine: (line) => this.#readLine(line),
      onLongLine: () =>
        this.#fail(
          this.#failure ?? new UpstreamError("The MCP server sent a message that is too large."),
        ),
    });
    this.#running = running;
    running.ended.then((end) => this.#recordEnd(end, running));
  }

  async send(message: Parameters<Transport["send"]>[0]): Promise<void> {
    if (this.#running === null) throw new UpstreamError("The program of this row is not running.");
    this.#running.writeLine(JSON.stringify(message));
  }

  async close(): Promise<void> {
    await this.#running?.stop();
  }

  hasStarted(): boolean {
    return this.#running !== null;
  }

  findFailure(): Error | null {
    return this.#failure;
  }

  /** Whether the program failed, and another start with other requests can succeed. */
  mayStartAgain(): boolean {
    return this.#failure !== null && !this.#isHopeless;
  }

  /** Another start would be in vain. */
  giveUp(): void {
    this.#isHopeless = true;
  }

  #readLine(given: string): void {
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (isFirst && isUtf16(given)) {
      this.#fail(
        new UpstreamError(
          "The program of this MCP server writes UTF-16. A server must write UTF-8, so its messages cannot be read. An admin can change how it is started.",
        ),
      );
    }
    const line = isFirst && given.startsWith(byteOrderMark) ? given.slice(1) : given;
    // After a broken message, the rest could be answers out of order.
    if (line.trim() === "" || this.#failure !== null) return;
    try {
      this.#readMessage(line);
    } catch (thrown) {
      if (thrown instanceof UpstreamError) this.#fail(thrown);
      this.#logGarbage();
    }
  }

  #readMessage(line: string): void {
    const { gate, parseMessage } = this.#reading;
    checkMessage(line);
    const message: unknown = JSON.parse(hideDigits(line));
    if (!isJsonObject(message)) throw new Error("not a message");
    for (const one of gate.admit(message, message)) this.onmessage?.(parseMessage(one));
  }

  #logGarbage(): void {
    if (this.#hasLoggedGarbage) return;
    this.#hasLoggedGarbage = true;
    this.#deps.log.warn(
      { row: this.#program.rowId },
      "An MCP server wrote a line to stdout that is not a message. Further ones are not logged.",
    );
  }

  /** The answer to a call is lost with the message, so the program ends. */
  #fail(failure: Error): void {
    this.#failure = failure;
    this.#running?.kill();
  }

  #recordEnd(end: ProgramEnd, running: RunningProgram): void {
    if (this.#failure === null) {
      const output = running.readLastLines();
      this.#isHopeless = isOwnFailure(end, output);
      this.#failure = new ProgramFailure(
        `The program of this MCP server has ended. ${end.reason} ${describeOutput(output)}`,
        output,
      );
    }
    this.onclose?.();
  }
}
