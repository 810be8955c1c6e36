const mebibyte = 1024 ** 2;

/** The API takes bodies of this size. */
const requestBytesMax = 4 * mebibyte;

/** Thrown with a message for the user. */
class DocumentRefusal extends Error {}

/** The text of a file for a discovery. Throws `DocumentRefusal` if it cannot be sent. */
export async function readDocument(file: Blob): Promise<string> {
  if (file.size > requestBytesMax) throw refuse("The file is larger than 4 MiB.");
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    throw new DocumentRefusal(
      "The file cannot be read as text. Choose an OpenAPI document, as JSON or YAML.",
    );
  }
  if (text.trim() === "") throw new DocumentRefusal("The file is empty.");
  // Quotes and line ends take two bytes in a request.
  if (new Blob([JSON.stringify({ document: text })]).size > requestBytesMax) {
    throw refuse("The file is larger than 4 MiB when its quotes are escaped for the request.");
  }
  return text;
}

function refuse(reason: string): DocumentRefusal {
  return new DocumentRefusal(
    `${reason} Set the address of the document in the row's settings, then press Discover.`,
  );
}

/** Why a file was not read, as a text for the user. */
export function describeRefusal(thrown: unknown): string {
  if (thrown instanceof DocumentRefusal) return thrown.message;
  return "The browser cannot read the file. Choose it again.";
}
