import { join } from "node:path";
import {
  type GivenAnswer,
  serveBytes,
} from "../../../packages/connector/src/outbound/testing/serve-bytes.ts";

/** A request as a parser of the outside understood it. */
export type PeerRequest = {
  /** The number of its connection. */
  connection: number;
  method: string;
  target: string;
  /** By lower-case name. */
  headers: Map<string, string>;
  body: Buffer;
};

/** An outside system with a parser of its own. */
export type Peer = AsyncDisposable & {
  port: number;
  requests: PeerRequest[];
  /** What its parser refused. */
  faults: string[];
};

export type AnswerRequest = (request: PeerRequest) => GivenAnswer;
export type OpenPeer = (answer: AnswerRequest) => Promise<Peer>;

/** Reads the bytes strictly, in this process. */
export const openBytePeer: OpenPeer = (answer) => serveBytes(answer);

/** Node's server, in a process of Node. */
export const openNodePeer: OpenPeer = (answer) =>
  openProgram(["node", join(import.meta.dirname, "node-peer.mjs")], answer);

/** h11, by a Python that has it. */
export const openH11Peer =
  (python: string): OpenPeer =>
  (answer) =>
    openProgram([python, join(import.meta.dirname, "h11-peer.py")], answer);

/** What a program writes, one object a line: first its port. It reads the answers in the same way. */
type Line = { port: number } | { fault: string } | RequestLine;

type RequestLine = {
  n: number;
  connection: number;
  method: string;
  target: string;
  headers: [string, string][];
  /** In base64. */
  body: string;
};

async function openProgram(command: string[], answer: AnswerRequest): Promise<Peer> {
  const child = Bun.spawn(command, { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  const requests: PeerRequest[] = [];
  const faults: string[] = [];
  const { promise: started, resolve, reject } = Promise.withResolvers<number>();
  child.exited.then(() => reject(new Error(`${command[0]} has ended`)));

  function take(line: Line): void {
    if ("port" in line) resolve(line.port);
    else if ("fault" in line) faults.push(line.fault);
    else takeRequest(line);
  }

  function takeRequest(line: RequestLine): void {
    const { n, connection, method, target } = line;
    const body = Buffer.from(line.body, "base64");
    const request = { connection, method, target, headers: new Map(line.headers), body };
    requests.push(request);
    const given = { status: 200, headers: {}, ...answer(request) };
    child.stdin.write(`${JSON.stringify({ n, ...given })}\n`);
    child.stdin.flush();
  }

  const read = async () => {
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of child.stdout) {
      const lines = (text + decoder.decode(chunk, { stream: true })).split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) take(JSON.parse(line));
    }
  };
  void read();
  return {
    port: await started,
    requests,
    faults,
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
    },
  };
}
