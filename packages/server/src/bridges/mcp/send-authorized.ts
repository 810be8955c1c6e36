/** The access token of a session's requests. */
export type SessionAccount = {
  /** Throws if there is none, or if it is not for this address. */
  findToken(url: URL, signal: AbortSignal): Promise<string>;
  /** Another token after the server refused this one. Throws if there is none. */
  renewToken(url: URL, refused: string, signal: AbortSignal): Promise<string>;
  /** Throws if the answer is a refusal of the token or of its scopes. */
  checkAnswer(response: Response): Promise<void>;
};

/** A server that answers 401 has not run the request, so it is sent again with another token. */
export async function sendAuthorized(
  account: SessionAccount,
  url: URL,
  signal: AbortSignal,
  send: (token: string) => Promise<Response>,
): Promise<Response> {
  const token = await account.findToken(url, signal);
  const first = await send(token);
  if (first.status !== 401) {
    await account.checkAnswer(first);
    return first;
  }
  await first.body?.cancel();
  const second = await send(await account.renewToken(url, token, signal));
  await account.checkAnswer(second);
  return second;
}
