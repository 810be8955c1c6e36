import { type CallTools, type FieldValues, wick } from "@hub/connector";

/** The fields of one account: its token, and its host if it is not the public one. */
export const configFields = {
  BaseURL: wick(
    "url;pattern=^(https://api[.]github[.]com/*|https?://(localhost|127[.]0[.]0[.]1)(:[0-9]+)?/*|https?://[^?#]+/api/v3/*)$;hint=must end in /api/v3, such as https://code.example.com/api/v3\\; leave it empty for the public code host;desc=Empty means the public code host. For an enterprise host, its API address, ending in /api/v3",
  ),
  Token: wick(
    "secret;personal;required;desc=Personal access token, classic or fine-grained. The operations have the permissions of the token",
  ),
};

type HostConfig = FieldValues<typeof configFields>;

/** The members of a call's context that requests to the code host use. */
export type HostContext = Pick<CallTools, "fetch" | "mask"> & { config: HostConfig };

/** Secrets that a cut must not split if the host echoes them. */
export function listSecrets({ config }: Pick<HostContext, "config">): string[] {
  return [config.Token];
}
