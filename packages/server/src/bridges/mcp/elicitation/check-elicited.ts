import { isJsonObject } from "@hub/connector";
import type {
  Elicitation,
  Elicited,
  ElicitedPage,
  NotAsked,
} from "../../../connectors/elicitation.ts";
import { checkForm, messageCharsMax } from "./check-form.ts";

const urlCharsMax = 2000;

type Allowed = Pick<Elicitation, "shows"> & {
  /** The hosts that an admin has approved for the row. */
  pageHosts: ReadonlySet<string>;
};

/** What a server asks, as a client may be shown it, or why it is not shown. */
export function checkElicited(params: unknown, { shows, pageHosts }: Allowed): Elicited | NotAsked {
  if (isJsonObject(params) && params.mode === "url") {
    if (!shows.url)
      return { refused: "It asks to open a page, and the client of the call opens none." };
    return checkPage(params, pageHosts);
  }
  if (!shows.form) return { refused: "It asks by a form, and the client of the call shows none." };
  return checkForm(params);
}

/** Attack: a page that looks like the hub's, or like that of the row's provider, asks for a password. */
function checkPage(
  { message, url }: Record<string, unknown>,
  pageHosts: ReadonlySet<string>,
): ElicitedPage | NotAsked {
  if (typeof message !== "string" || message.length > messageCharsMax) {
    return { refused: `The message must be a text of at most ${messageCharsMax} characters.` };
  }
  if (typeof url !== "string" || url.length > urlCharsMax || !URL.canParse(url)) {
    return { refused: `The page has no valid address of at most ${urlCharsMax} characters.` };
  }
  const page = new URL(url);
  if (page.protocol !== "https:" || page.username !== "" || page.password !== "") {
    return { refused: "The address of the page must begin with https:// and name no user." };
  }
  if (!pageHosts.has(page.host)) {
    return {
      refused: `It asks to open a page of ${page.host}, which is not approved for this row. An admin can add it to "Page hosts" of the row.`,
    };
  }
  return { message, url: page.href };
}

/** The hosts of the row's field: names as they stand in an address, separated by spaces, commas or lines. */
export function readPageHosts(text: string | undefined): ReadonlySet<string> {
  const hosts = (text ?? "").split(/[\s,]+/).flatMap((name) => {
    const address = name.includes("://") ? name : `https://${name}`;
    return name !== "" && URL.canParse(address) ? [new URL(address).host] : [];
  });
  return new Set(hosts);
}
