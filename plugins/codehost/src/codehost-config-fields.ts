import { type CallTools, type FieldValues, wick } from "@hub/connector";

/** The fields of one account: its token, and its host if it is not the public one. */
export const configFields = {
  BaseURL: wick(
    "url;pattern=^(https://api[.]github[.]com/*|https?://(localhost|127[.]0[.]0[.]1)(:[0-9]+)?/*|https?://[^?#]+/api/v3/*)$;hint=must end in /api/v3, such as https://code.example.com/api/v3\\; leave it empty for the public code host;desc=Empty means the public code host. For an enterprise host, its API address, ending in /api/v3",
  ),
  AuthMode: wick(
    "dropdown=bearer|oauth;default=bearer;desc=bearer is a personal access token. With oauth, each user signs in at the code host with a browser, or an admin connects the row",
  ),
  Token: wick(
    "secret;personal;required;visible_when=auth_mode:bearer;desc=Personal access token, classic or fine-grained. The operations have the permissions of the token",
  ),
  ClientID: wick(
    "required;visible_when=auth_mode:oauth;desc=Of the application that is registered at the code host",
  ),
  ClientSecret: wick("secret;required;visible_when=auth_mode:oauth"),
  Scopes: wick(
    "visible_when=auth_mode:oauth;desc=Separated by spaces. Not for applications whose permissions are set at the code host",
  ),
  AuthorizeURL: wick(
    "key=authorize_url;url;required;default=https://github.com/login/oauth/authorize;visible_when=auth_mode:oauth;desc=Where a browser is sent to sign in",
  ),
  TokenURL: wick(
    "key=token_url;url;required;default=https://github.com/login/oauth/access_token;visible_when=auth_mode:oauth;desc=Where the hub gets and renews access tokens",
  ),
  ClientAuth: wick(
    "key=client_auth;dropdown=post|basic;default=post;visible_when=auth_mode:oauth;desc=Whether the client's id and secret are sent in the body or as basic authentication",
  ),
  RevokeURL: wick(
    "key=revoke_url;default=https://api.github.com/applications/{client_id}/grant;visible_when=auth_mode:oauth;desc=Where the hub ends the access of an account that is removed. {client_id} stands for the client id",
  ),
  RevokeMethod: wick(
    "key=revoke_method;dropdown=delete_grant|standard;default=delete_grant;visible_when=auth_mode:oauth",
  ),
};

/** The hub puts the access token of a sign-in in the place of the token, so no request needs the other fields. */
type HostConfig = Pick<FieldValues<typeof configFields>, "BaseURL" | "Token">;

/** The members of a call's context that requests to the code host use. */
export type HostContext = Pick<CallTools, "fetch" | "mask"> & { config: HostConfig };

/** Secrets that a cut must not split if the host echoes them. */
export function listSecrets({ config }: Pick<HostContext, "config">): string[] {
  return [config.Token];
}
