type Frame = Record<string, unknown>;

/** Parses an answer as one JSON-RPC response. Throws an error that names the problem. */
export function readResponse(text: string, id: string | number | null): Frame {
  const frame = readMessage(text);
  if (frame.id !== id) throw new Error(`The id is ${frame.id}, not ${id}.`);
  const hasResult = typeof frame.result === "object" && frame.result !== null;
  if (hasResult === "error" in frame)
    throw new Error("The response must have either result or error.");
  if (!hasResult) checkError(frame.error);
  return frame;
}

/** Parses the answer to a refused message, with or without an id. Returns the error's code. */
export function readRefusal(text: string): number {
  const { id = null } = readMessage(text);
  if (id !== null && typeof id !== "string" && typeof id !== "number")
    throw new Error("The id is invalid.");
  const { error } = readResponse(text, id);
  if (typeof error === "object" && error !== null && "code" in error) return Number(error.code);
  throw new Error("An invalid message got a result.");
}

export function readMessage(text: string): Frame {
  const frame: unknown = JSON.parse(text);
  if (typeof frame !== "object" || frame === null || !("jsonrpc" in frame)) {
    throw new Error("The answer is not a message.");
  }
  if (frame.jsonrpc !== "2.0") throw new Error("The answer is not JSON-RPC 2.0.");
  return { ...frame };
}

function checkError(error: unknown): void {
  const isError =
    typeof error === "object" &&
    error !== null &&
    "code" in error &&
    Number.isInteger(error.code) &&
    "message" in error &&
    typeof error.message === "string";
  if (!isError) throw new Error("The error must have a code and a message.");
}

/** Checks the body of an HTTP error: a message and a code. */
export function checkHttpError(text: string): void {
  const problem: unknown = JSON.parse(text);
  const isProblem =
    typeof problem === "object" &&
    problem !== null &&
    "error" in problem &&
    typeof problem.error === "string" &&
    "code" in problem &&
    typeof problem.code === "string";
  if (!isProblem) throw new Error("The HTTP error must have a message and a code.");
}
