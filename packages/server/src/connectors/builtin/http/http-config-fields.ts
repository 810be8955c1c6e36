import { type FieldValues, wick } from "@hub/connector";

/** The configuration of a row of the `http` connector. */
export const configFields = {
  BaseURL: wick(
    "url;required;group=Connection;desc=The start of the API's URLs, such as https://api.example.com/v1. The path of a call stays below it, and so does the row's credential, also after a redirect. No user name, password or query.",
  ),
  AuthMode: wick(
    "dropdown=none|bearer|basic|header|query;default=none;group=Authentication;desc=How calls authenticate at the API.",
  ),
  Token: wick(
    "secret;personal;required;visible_when=auth_mode:bearer;group=Authentication;desc=Sent as Authorization: Bearer …",
  ),
  Username: wick("personal;required;visible_when=auth_mode:basic;group=Authentication"),
  Password: wick("secret;personal;visible_when=auth_mode:basic;group=Authentication"),
  HeaderName: wick(
    "required;visible_when=auth_mode:header;group=Authentication;desc=Such as X-API-Key.",
  ),
  HeaderValue: wick("secret;personal;required;visible_when=auth_mode:header;group=Authentication"),
  QueryName: wick(
    "required;visible_when=auth_mode:query;group=Authentication;desc=The query parameter of the credential, such as api_key.",
  ),
  QueryValue: wick("secret;personal;required;visible_when=auth_mode:query;group=Authentication"),
  DefaultHeaders: wick(
    "kvlist=name|value;desc=Sent with every call unless the call sets them. Not for secrets: set these under Authentication.",
  ),
  DefaultQuery: wick(
    "kvlist=name|value;desc=Query parameters of every call unless the call sets them. Not for secrets: set these under Authentication.",
  ),
  SendTraceContext: wick.bool(
    "group=Advanced||collapsed;desc=Send the headers traceparent and tracestate, so that the API's traces join those of the hub. Only if the hub records traces.",
  ),
};

export type HttpConfig = FieldValues<typeof configFields>;
