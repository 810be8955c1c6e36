import net from "node:net";

/** Why no connection to PostgreSQL can be made; the client itself does not say. */
export type AddressFault = "unknown host" | "refused" | "other program";

const answerMsMax = 2_000;
/** Asks whether the server encrypts. PostgreSQL answers with one letter. */
const sslRequest = Buffer.from("0000000804d2162f", "hex");

/** Null if the reason cannot be seen from here. */
export function findAddressFault(url: string): Promise<AddressFault | null> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const { promise, resolve } = Promise.withResolvers<AddressFault | null>();
  const socket = net.connect(Number(port || 5432), host);
  socket.setTimeout(answerMsMax, () => resolve(null));
  socket.on("error", (err) => resolve(toFault(err)));
  socket.on("close", () => resolve(null));
  socket.on("connect", () => socket.write(sslRequest));
  socket.on("data", (answer) => resolve(isPostgres(Buffer.from(answer)) ? null : "other program"));
  return promise.finally(() => socket.destroy());
}

function isPostgres(answer: Uint8Array): boolean {
  const first = String.fromCharCode(answer[0] ?? 0);
  // `E` begins an error, such as that of a server with too many connections.
  return first === "E" || (answer.length === 1 && /[SN]/.test(first));
}

function toFault(err: Error): AddressFault | null {
  const code = "code" in err ? err.code : null;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "unknown host";
  return code === "ECONNREFUSED" ? "refused" : null;
}
