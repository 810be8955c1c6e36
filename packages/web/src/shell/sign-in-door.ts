/**
 * A page of the server that asks who the user is, used from a dialog: its form, its other ways, and the message with which it
 * refuses.
 */
export type SignInDoor = {
  action: string;
  csrf: string;
  /** What the form asks for; null if there is only another way. */
  field: { name: "password" | "code"; label: string } | null;
  /** The page also takes a passkey, which needs its own window. */
  hasPasskey: boolean;
  singleSignOn: { name: string; href: string } | null;
};

/** `session`: there is none. `fresh`: the user of the session must prove again who they are. */
export type SignInKind = "session" | "fresh";

export const doorPaths = { session: "/auth/login", fresh: "/auth/fresh" } as const;
const factorPath = "/auth/second-factor";

/** Opens the page; null if nothing is asked any more, for example because of another tab. */
export function openDoor(kind: SignInKind): Promise<SignInDoor | null> {
  return readDoor(doorPaths[kind]);
}

/** What follows: nothing, a further step, or what the page says against it. */
export type SignInStep = { done: true } | { door: SignInDoor } | { fault: string };

/** Sends what the user has entered. */
export async function passDoor(
  kind: SignInKind,
  door: SignInDoor,
  given: { email: string; value: string },
): Promise<SignInStep> {
  const { action, csrf, field } = door;
  const entered = field === null ? {} : { [field.name]: given.value };
  const response = await fetch(action, {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams({ csrf, next: "/", email: given.email, ...entered }),
  });
  if (response.type === "opaqueredirect") return await findNextStep(kind);
  const fault = toPage(await response.text()).querySelector("[role=alert]:not(:empty)");
  return { fault: fault?.textContent ?? "This did not work. Try again." };
}

async function findNextStep(kind: SignInKind): Promise<SignInStep> {
  if (kind === "fresh" || (await openDoor(kind)) === null) return { done: true };
  const door = await readDoor(factorPath);
  if (door !== null) return { door };
  return { fault: "Your sign-in needs another step. Open the sign-in page for it." };
}

async function readDoor(path: string): Promise<SignInDoor | null> {
  const response = await fetch(path, { redirect: "manual" });
  if (response.type === "opaqueredirect") return null;
  const page = toPage(await response.text());
  const input = page.querySelector<HTMLInputElement>("input[name=password], input[name=code]");
  const link = page.querySelector<HTMLAnchorElement>("a[href^='/auth/sso']");
  return {
    action: input?.form?.getAttribute("action") ?? path,
    csrf: page.querySelector<HTMLInputElement>("input[name=csrf]")?.value ?? "",
    field: input === null ? null : toField(page, input),
    hasPasskey: page.querySelector("form[data-passkey]") !== null,
    singleSignOn: link === null ? null : toSingleSignOn(link),
  };
}

function toField(page: Document, { name, id }: HTMLInputElement): SignInDoor["field"] {
  const label = page.querySelector(`label[for=${id}]`)?.textContent ?? "Code";
  return { name: name === "code" ? "code" : "password", label };
}

function toSingleSignOn(link: HTMLAnchorElement): SignInDoor["singleSignOn"] {
  const name = (link.textContent ?? "").replace(/^Continue with /, "");
  return { name, href: link.getAttribute("href") ?? "" };
}

function toPage(html: string): Document {
  return new DOMParser().parseFromString(html, "text/html");
}
