type Frame = Record<string, unknown>;

/** Parses an answer that has to be one JSON-RPC response; throws, saying what is wrong with it. */
export function readResponse(text: string, id: string | number | null): Frame {
  const frame = readMessage(text);
  if (frame.id !== id) throw new Error(`The id is ${frame.id}, not ${id}.`);
  const hasResult = typeof frame.result === "object" && frame.result !== null;
  if (hasResult === "error" in frame)
    throw new Error("It has not exactly one of result and error.");
  if (!hasResult) checkError(frame.error);
  return frame;
}

/** Parses the answer to a refused message, which may have shown an id; returns the error's code. */
export function readRefusal(text: string): number {
  const { id = null } = readMessage(text);
  if (id !== null && typeof id !== "string" && typeof id !== "number") throw new Error("No id.");
  const { error } = readResponse(text, id);
  if (typeof error === "object" && error !== null && "code" in error) return Number(error.code);
  throw new Error("What is no message got a result.");
}

export function readMessage(text: string): Frame {
  const frame: unknown = JSON.parse(text);
  if (typeof frame !== "object" || frame === null || !("jsonrpc" in frame)) {
    throw new Error("It is no message.");
  }
  if (frame.jsonrpc !== "2.0") throw new Error("It is no JSON-RPC 2.0.");
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
  if (!isError) throw new Error("The error has no code and message.");
}

/** What the door answers: a sentence and a code. */
export function checkDoor(text: string): void {
  const problem: unknown = JSON.parse(text);
  const isProblem =
    typeof problem === "object" &&
    problem !== null &&
    "error" in problem &&
    typeof problem.error === "string" &&
    "code" in problem &&
    typeof problem.code === "string";
  if (!isProblem) throw new Error("The door said neither what is wrong nor its code.");
}
