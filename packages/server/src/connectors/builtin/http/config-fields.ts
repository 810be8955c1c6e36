import { type FieldValues, wick } from "@hub/connector";

/** What an admin sets in a row of the `http` connector. */
export const configFields = {
  BaseURL: wick(
    "url;required;group=Connection;desc=Where the API begins, such as https://api.example.com/v1. Calls never leave its host and path.",
  ),
  AuthMode: wick(
    "dropdown=none|bearer|basic|header;default=none;group=Authentication;desc=How the API wants to be told who calls.",
  ),
  Token: wick(
    "secret;required;visible_when=auth_mode:bearer;group=Authentication;desc=Sent as Authorization: Bearer …",
  ),
  Username: wick("required;visible_when=auth_mode:basic;group=Authentication"),
  Password: wick("secret;visible_when=auth_mode:basic;group=Authentication"),
  HeaderName: wick(
    "required;visible_when=auth_mode:header;group=Authentication;desc=Such as X-API-Key.",
  ),
  HeaderValue: wick("secret;required;visible_when=auth_mode:header;group=Authentication"),
  DefaultHeaders: wick(
    "kvlist=name|value;desc=Sent with every call unless the call says otherwise. Not for secrets: they belong under Authentication.",
  ),
};

export type HttpConfig = FieldValues<typeof configFields>;
