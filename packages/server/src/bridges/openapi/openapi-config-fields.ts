import { type FieldValues, wick } from "@hub/connector";

/** The configuration of a row of the `openapi` connector. */
export const configFields = {
  DocumentURL: wick(
    "key=document_url;url;group=Connection;desc=The address of the OpenAPI document, as JSON or YAML. Not needed if the document is given as a file. It gets the row's credentials only if it is below base_url.",
  ),
  BaseURL: wick(
    "url;required;group=Connection;desc=Where calls go, such as https://api.example.com/v1. The document's own servers are not used. No user name, password or query.",
  ),
  OtherServers: wick(
    "kvlist=url;group=Connection;desc=Further addresses that calls may go to. Operations that the document has on other servers need them. The row's credentials are sent there, too.",
  ),
  ServerVariables: wick(
    "kvlist=name|value;group=Connection;desc=Values of the variables in the addresses of such operations. The document's defaults are used for others.",
  ),
  AuthMode: wick(
    "dropdown=none|api_key|basic|bearer|client_credentials;default=none;group=Authentication;desc=How calls authenticate at the API. client_credentials is that grant of OAuth.",
  ),
  APIKey: wick("secret;personal;required;visible_when=auth_mode:api_key;group=Authentication"),
  KeyIn: wick(
    "dropdown=as_documented|header|query|cookie;default=as_documented;visible_when=auth_mode:api_key;group=Authentication;desc=Where the key is sent.",
  ),
  KeyName: wick(
    "visible_when=auth_mode:api_key;group=Authentication;desc=The name of the header, parameter or cookie. Needed unless the key is sent as the document says.",
  ),
  Username: wick("personal;required;visible_when=auth_mode:basic;group=Authentication"),
  Password: wick("secret;personal;visible_when=auth_mode:basic;group=Authentication"),
  Token: wick(
    "secret;personal;required;visible_when=auth_mode:bearer;group=Authentication;desc=Sent as Authorization: Bearer …",
  ),
  TokenURL: wick(
    "key=token_url;url;required;visible_when=auth_mode:client_credentials;group=Authentication;desc=Where the hub gets access tokens. Never taken from the document.",
  ),
  ClientID: wick("required;visible_when=auth_mode:client_credentials;group=Authentication"),
  ClientSecret: wick(
    "secret;required;visible_when=auth_mode:client_credentials;group=Authentication",
  ),
  ClientAuth: wick(
    "dropdown=basic|post;default=basic;visible_when=auth_mode:client_credentials;group=Authentication;desc=Whether the client's id and secret are sent as basic authentication or in the body.",
  ),
  Scopes: wick(
    "visible_when=auth_mode:client_credentials;group=Authentication;desc=Separated by spaces.",
  ),
  DefaultHeaders: wick(
    "kvlist=name|value;group=Requests;desc=Sent with every call unless the call sets them. Not for secrets: set these under Authentication.",
  ),
  Tags: wick(
    "kvlist=tag;group=Operations;desc=Only operations with one of these tags. Without any, all.",
  ),
  Paths: wick(
    "kvlist=path;group=Operations;desc=Only operations whose path fits one of these, such as /issues/*. One with ! at its start excludes. Without any, all.",
  ),
  Methods: wick(
    "kvlist=method;group=Operations;desc=Only operations with one of these methods, such as GET. Without any, all.",
  ),
  SendTraceContext: wick.bool(
    "group=Advanced||collapsed;desc=Send the headers traceparent and tracestate, so that the API's traces join those of the hub. Only if the hub records traces.",
  ),
};

export type OpenApiConfig = FieldValues<typeof configFields>;
