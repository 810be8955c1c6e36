import type { HttpRequest } from "./http-request.ts";

/** Returns the text of the answer. Throws if the status is not one of success. */
export async function send({ url, headers, body }: HttpRequest): Promise<string> {
  const response = await fetch(url, { method: "POST", headers, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text.slice(0, 500)}`);
  return text;
}
