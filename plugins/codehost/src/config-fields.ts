import { type CallTools, type FieldValues, wick } from "@hub/connector";

/** One row is one account: its token, and its host unless that is the public one. */
export const configFields = {
  BaseURL: wick(
    "url;pattern=^(https://api[.]github[.]com/*|https?://(localhost|127[.]0[.]0[.]1)(:[0-9]+)?/*|https?://[^?#]+/api/v3/*)$;hint=must end in /api/v3, such as https://code.example.com/api/v3\\; leave it empty for the public code host;desc=Empty means the public code host. For an enterprise host, its API address, ending in /api/v3",
  ),
  Token: wick(
    "secret;required;desc=Personal access token, classic or fine-grained. What it may do is what the operations can do",
  ),
};

type HostConfig = FieldValues<typeof configFields>;

/** What a request to the code host needs of its call. */
export type HostContext = Pick<CallTools, "fetch" | "mask"> & { config: HostConfig };

/** What must not be cut in half where the host echoes it. */
export function listSecrets({ config }: Pick<HostContext, "config">): string[] {
  return [config.Token];
}
