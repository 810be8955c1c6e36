/**
 * The sign-in page of the server, used from a dialog: its form, its single sign-on link, and the
 * message with which it refuses.
 */
export type SignInDoor = { csrf: string; singleSignOn: { name: string; href: string } | null };

/** Reads the sign-in page; null if the browser is signed in already, for example by another tab. */
export async function openDoor(): Promise<SignInDoor | null> {
  const response = await fetch("/auth/login", { redirect: "manual" });
  if (response.type === "opaqueredirect") return null;
  const page = toPage(await response.text());
  const link = page.querySelector<HTMLAnchorElement>("a[href^='/auth/sso']");
  const name = link?.textContent?.replace(/^Continue with /, "") ?? "";
  return {
    csrf: page.querySelector<HTMLInputElement>("input[name=csrf]")?.value ?? "",
    singleSignOn: link === null ? null : { name, href: link.getAttribute("href") ?? "" },
  };
}

/** Signs in with a password. Returns null, or what the sign-in page says against it. */
export async function signIn(
  door: SignInDoor,
  given: { email: string; password: string },
): Promise<string | null> {
  const response = await fetch("/auth/login", {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams({ csrf: door.csrf, next: "/", ...given }),
  });
  if (response.type === "opaqueredirect") return null;
  const fault = toPage(await response.text()).querySelector("[role=alert]")?.textContent;
  return fault ?? "The sign-in failed. Try again.";
}

function toPage(html: string): Document {
  return new DOMParser().parseFromString(html, "text/html");
}
