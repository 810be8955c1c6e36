import { type FieldValues, type ValuesByName, wick } from "@hub/connector";

/** The fields of a Slack row: one app in one workspace. */
export const slackConfig = {
  Mode: wick(
    "dropdown=socket|http;default=socket;desc=How events arrive. socket: the hub opens a connection to Slack, no public address needed. http: Slack calls this hub.",
  ),
  BotToken: wick(
    "secret;required;desc=Bot User OAuth Token, which begins with xoxb-. Of the page OAuth & Permissions of the app.",
  ),
  AppToken: wick(
    "secret;visible_when=mode:socket;desc=App-level token with the scope connections:write, which begins with xapp-. Needed in socket mode.",
  ),
  SigningSecret: wick(
    "secret;visible_when=mode:http;desc=Signing secret of the page Basic Information of the app. Needed in http mode.",
  ),
  IncludeEdits: wick.bool(
    "default=false;desc=An edited message is a message event too. Deleted messages never are.",
  ),
  BaseURL: wick(
    "url;default=https://slack.com/api/;desc=Address of the Web API. Change it only for GovSlack or an emulator.",
  ),
};

export type SlackConfig = FieldValues<typeof slackConfig>;

/** The values of a row that may lack some, such as a row in which the setup has just begun. */
export function readSlackConfig(values: ValuesByName): SlackSettings {
  const text = (name: keyof SlackConfig) => {
    const value = values[name];
    return typeof value === "string" ? value.trim() : "";
  };
  const baseUrl = text("BaseURL") === "" ? defaultBaseUrl : text("BaseURL");
  return {
    mode: text("Mode") === "http" ? "http" : "socket",
    botToken: text("BotToken"),
    appToken: text("AppToken"),
    signingSecret: text("SigningSecret"),
    includeEdits: values.IncludeEdits === true,
    baseUrl: baseUrl.endsWith("/") ? baseUrl : `${baseUrl}/`,
  };
}

const defaultBaseUrl = "https://slack.com/api/";

/** The configuration with its defaults. A missing text is empty. */
export type SlackSettings = {
  mode: "socket" | "http";
  botToken: string;
  appToken: string;
  signingSecret: string;
  includeEdits: boolean;
  /** Ends with a slash. */
  baseUrl: string;
};

/**
 * Whether an address that Slack gave, such as a `response_url`, is at the host of the API or below
 * it (`hooks.slack.com`), with its scheme. Others could come from the data of an event.
 */
export function isOfSlack(address: string, { baseUrl }: Pick<SlackSettings, "baseUrl">): boolean {
  if (!URL.canParse(address) || !URL.canParse(baseUrl)) return false;
  const url = new URL(address);
  const api = new URL(baseUrl);
  const isSecure = url.protocol === "https:" || url.protocol === "wss:";
  if (api.protocol === "https:" && !isSecure) return false;
  if (url.username !== "" || url.password !== "") return false;
  return url.host === api.host || (isSecure && url.host.endsWith(`.${api.host}`));
}
