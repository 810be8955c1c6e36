// biome-ignore-all lint/suspicious/noTemplateCurlyInString: rows name secrets by such texts.
import { type FieldValues, wick } from "@hub/connector";

/** The configuration of a row of the `mcp` connector. */
export const configFields = {
  Transport: wick(
    "dropdown=http|sse|stdio;default=http;group=Connection;desc=How the server is reached: http is Streamable HTTP, sse is the older HTTP+SSE of 2024, stdio starts a program on the hub's machine.",
  ),
  URL: wick(
    "url;required;visible_when=transport:http|sse;group=Connection;desc=The server's MCP address, such as https://mcp.example.com/mcp. A secret in it stands in Secrets and is named here as ${NAME}.",
  ),
  Command: wick(
    "required;visible_when=transport:stdio;group=Connection;desc=The program to start, such as npx or an absolute path. It runs with the rights of the hub, but without its environment.",
  ),
  Args: wick(
    "kvlist;visible_when=transport:stdio;group=Connection;desc=Arguments of the program, one a line or as a JSON list. A secret stands in Secrets and is named here as ${NAME}.",
  ),
  Env: wick(
    "secret;visible_when=transport:stdio;group=Connection;desc=Environment variables of the program, as a JSON object or as lines NAME=value.",
  ),
  Folder: wick(
    "visible_when=transport:stdio;group=Connection;desc=The program's working folder, as an absolute path. The default is a folder of this row.",
  ),
  Secrets: wick(
    "secret;group=Connection;desc=Secrets that the address or the arguments name as ${NAME}, as a JSON object or as lines NAME=value.",
  ),
  AuthMode: wick(
    "dropdown=none|bearer|headers|oauth;default=none;visible_when=transport:http|sse;group=Authentication;desc=How the hub authenticates at the server. With oauth, an admin connects the row once, in a browser.",
  ),
  Token: wick(
    "secret;personal;required;visible_when=auth_mode:bearer;group=Authentication;desc=Sent as Authorization: Bearer …",
  ),
  Headers: wick(
    "secret;personal;required;visible_when=auth_mode:headers;group=Authentication;desc=Headers of every request, as a JSON object or as lines Name: value.",
  ),
  ClientID: wick(
    "visible_when=auth_mode:oauth;group=Authentication;desc=The hub's client id, if it was registered at the authorization server by hand. Without it, the hub registers itself.",
  ),
  ClientSecret: wick(
    "secret;visible_when=auth_mode:oauth;group=Authentication;desc=The secret of this client, if it has one.",
  ),
  Scopes: wick(
    "visible_when=auth_mode:oauth;group=Authentication;desc=Scopes to ask for, separated by spaces. Without them, the hub asks for those that the server names.",
  ),
  PageHosts: wick(
    "group=Questions||collapsed;desc=Hosts of the pages that the server may ask users to open during a call, such as login.example.com, separated by spaces. Pages of other hosts are never shown. A host is the exact name in an address, with a port that is not 443.",
  ),
  SharedSession: wick.bool(
    "group=Advanced||collapsed;desc=All users share one session of the server. Without it, each user has an own session, so that what the server remembers is not mixed. If the hub runs on several servers, each of them has its own sessions.",
  ),
};

export type McpConfig = FieldValues<typeof configFields>;
