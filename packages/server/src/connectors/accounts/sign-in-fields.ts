import { wick } from "@hub/connector";

/**
 * The fields by which a row says where its users sign in by OAuth, and how the hub ends their access. A connector that has them,
 * with `token_url`, `client_id`, `client_secret`, `client_auth`, `scopes`, and `token` for `auth_mode` `bearer`, gets access tokens
 * from the hub.
 */
export const signInFields = {
  AuthorizeURL: wick(
    "key=authorize_url;url;required;visible_when=auth_mode:oauth;group=Authentication;desc=Where a browser is sent to sign in. Parameters that the provider needs stand in its query, such as access_type=offline&prompt=consent or user_scope=….",
  ),
  Issuer: wick(
    "visible_when=auth_mode:oauth;group=Authentication;desc=The issuer that the provider names in its answers, if it does (RFC 9207).",
  ),
  RevokeURL: wick(
    "key=revoke_url;visible_when=auth_mode:oauth;group=Authentication;desc=Where the hub ends the access of an account that is removed. {client_id} in it stands for the client id. Without it, users end it at the provider.",
  ),
  RevokeMethod: wick(
    "key=revoke_method;dropdown=standard|delete_grant|bearer|json;default=standard;visible_when=auth_mode:oauth;group=Authentication;desc=How: standard is RFC 7009. delete_grant sends DELETE with the access token as JSON, bearer a POST with the token as credential, json a POST with the token as JSON.",
  ),
};
