/** The API takes bodies of this size. */
const requestBytesMax = 4 * 1024 ** 2;
/** The rest of the request. */
const otherBytes = 4096;

/** What is sent to the hub: the text of a client's file, and its name. */
export type ClientFile = { file: string; text: string };

/** Why a text cannot be sent; null if it can. */
export function findTextFault(text: string): string | null {
  if (text.trim() === "") return "The file is empty.";
  // Quotes and line ends take two bytes in a request.
  if (new Blob([JSON.stringify(text)]).size <= requestBytesMax - otherBytes) return null;
  return "The file is too large for the page (4 MiB). Copy only its list of servers, or use hub bridge import on the hub's machine.";
}

/** The text of a chosen file, or why it cannot be read. */
export async function readClientFile(
  chosen: Blob & { name: string },
): Promise<ClientFile | { fault: string }> {
  const file = chosen.name.slice(-100) || "The file";
  if (chosen.size > requestBytesMax)
    return { fault: findTextFault("x".repeat(requestBytesMax)) ?? "" };
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await chosen.arrayBuffer());
    const fault = findTextFault(text);
    return fault === null ? { file, text } : { fault };
  } catch {
    return { fault: "The file cannot be read as text. Choose the client's file, as JSON or TOML." };
  }
}
