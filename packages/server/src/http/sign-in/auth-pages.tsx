/** @jsxImportSource hono/jsx */
import type { Context } from "hono";
import { HubError } from "../../errors.ts";
import type { SignIn, Visitor } from "../../identity/sign-in.ts";
import type { SingleSignOn } from "../../identity/sso/single-sign-on.ts";
import type { AppEnv } from "../app-env.ts";
import { findClientIp } from "../clients/find-client.ts";
import { findUserAgent } from "../clients/http-client.ts";
import { giveCsrfToken } from "../guards/check-form.ts";
import { findDetour } from "../guards/need-session.ts";
import { LoginPage } from "../pages/login.tsx";
import { MessagePage } from "../pages/message.tsx";
import { type PasswordFault, PasswordPage } from "../pages/password.tsx";
import { renderPage } from "../pages/render-page.tsx";
import { type BrowserDeps, enterSession, readBrowserCookie } from "./browser-cookies.ts";
import { homePath, toDestination, withDestination } from "./destination.ts";
import { type HalfWayDeps, setHalfWay, stepPaths } from "./half-way-cookie.ts";
import { clearSessionCookie } from "./session-cookie.ts";

export type AuthPageDeps = BrowserDeps &
  HalfWayDeps & {
    signIn: SignIn;
    /** Whether a user of the hub has a passkey. */
    hasPasskeys(): Promise<boolean>;
    singleSignOn: Pick<SingleSignOn, "name"> | null;
  };

type Handler = (ctx: Context<AppEnv>) => Response | Promise<Response>;

const wrongLogin = "The e-mail or the password is wrong.";

export function showLogin(deps: AuthPageDeps): Handler {
  return (ctx) => {
    const destination = toDestination(ctx.req.query("next"));
    if (ctx.get("session") !== null) return ctx.redirect(toNext(ctx, destination), 303);
    return renderLogin(deps, ctx, { destination, email: "", fault: null });
  };
}

export function signInByPassword(deps: AuthPageDeps): Handler {
  return async (ctx) => {
    const form = ctx.get("form");
    const email = form.get("email") ?? "";
    const destination = toDestination(form.get("next"));
    const showFault = (fault: string) => renderLogin(deps, ctx, { destination, email, fault });
    const browserCookie = readBrowserCookie(deps, ctx);
    const given = { email, password: form.get("password") ?? "", browserCookie };
    const entered = await orRefusal(deps.signIn.byPassword(given, toVisitor(ctx)));
    if (entered instanceof HubError) return refuse(ctx, entered, showFault);
    if (entered === null) {
      ctx.status(401);
      return showFault(wrongLogin);
    }
    if ("next" in entered) {
      const { next, userId, passwordMark: password } = entered;
      setHalfWay(deps, ctx, next, { id: crypto.randomUUID(), userId, password, destination });
      return ctx.redirect(stepPaths[next], 303);
    }
    await enterSession(deps, ctx, entered.token);
    return ctx.redirect(destination, 303);
  };
}

export function signOut(deps: AuthPageDeps): Handler {
  return async (ctx) => {
    const session = ctx.get("session");
    if (session !== null) await deps.sessions.end(session.sessionId);
    clearSessionCookie(deps, ctx);
    // A user who signs in as someone else continues at the page where they signed out.
    const destination = toDestination(ctx.get("form").get("next"));
    return ctx.redirect(withDestination("/auth/login", destination), 303);
  };
}

export const showPassword: Handler = (ctx) => {
  const session = ctx.get("session");
  const destination = toDestination(ctx.req.query("next"));
  if (session === null) return ctx.redirect(withDestination("/auth/login", destination), 303);
  return renderPage(
    ctx,
    <PasswordPage signedIn={session} destination={destination} wrong={null} />,
  );
};

export function changePassword(deps: AuthPageDeps): Handler {
  return async (ctx) => {
    const session = ctx.get("session");
    if (session === null) return ctx.redirect("/auth/login", 303);
    const form = ctx.get("form");
    const destination = toDestination(form.get("next"));
    const given = {
      current: form.get("current") ?? "",
      next: form.get("new_password") ?? "",
      repeated: form.get("repeated") ?? "",
    };
    const showWrong = (wrong: PasswordFault) =>
      renderPage(ctx, <PasswordPage signedIn={session} destination={destination} wrong={wrong} />);
    const changed = await orRefusal(deps.signIn.changePassword(session, given, toVisitor(ctx)));
    if (changed instanceof HubError) {
      return refuse(ctx, changed, (fault) => showWrong({ field: "current", fault }));
    }
    if ("fault" in changed) {
      ctx.status(422);
      return showWrong(changed);
    }
    await enterSession(deps, ctx, changed.token);
    return ctx.redirect(destination, 303);
  };
}

export const showPending: Handler = (ctx) => {
  const session = ctx.get("session");
  if (session === null || session.user.status !== "pending") {
    return ctx.redirect(toNext(ctx, homePath), 303);
  }
  return renderPage(
    ctx,
    <MessagePage
      title="Almost there"
      text="Your account is waiting for an admin to enable it. Ask an admin, or come back later."
      signedIn={session}
    />,
  );
};

/** The result, or the `rate_limited` failure, which the page shows. */
export async function orRefusal<T>(work: Promise<T>): Promise<T | HubError> {
  try {
    return await work;
  } catch (thrown) {
    if (thrown instanceof HubError && thrown.code === "rate_limited") return thrown;
    throw thrown;
  }
}

/** Shows the refusal, with the waiting time in the header too. */
export function refuse(
  ctx: Context<AppEnv>,
  { message, detail }: HubError,
  show: (fault: string) => Response | Promise<Response>,
): Response | Promise<Response> {
  ctx.status(429);
  const { retry_after_s: seconds } = detail;
  if (typeof seconds === "number") ctx.header("Retry-After", `${seconds}`);
  return show(message);
}

/** The destination, or the page that must come first. */
function toNext(ctx: Context<AppEnv>, destination: string): string {
  const first = findDetour(ctx.get("session"));
  return first === null ? destination : withDestination(first, destination);
}

/** The sign-in page, with the error if there is one. */
export async function renderLogin(
  deps: Pick<AuthPageDeps, "baseUrl" | "singleSignOn" | "hasPasskeys" | "factorSignIn">,
  ctx: Context<AppEnv>,
  shown: { destination: string; email: string; fault: string | null },
): Promise<Response> {
  const { singleSignOn } = deps;
  const href = withDestination("/auth/sso", shown.destination);
  const passkey = (await deps.hasPasskeys()) ? await loadPasskey(deps, ctx) : null;
  return await renderPage(
    ctx,
    <LoginPage
      {...shown}
      csrfToken={giveCsrfToken(deps, ctx)}
      singleSignOn={singleSignOn && { name: singleSignOn.name, href }}
      passkey={passkey}
    />,
    { scripts: passkey === null ? "none" : "passkey" },
  );
}

/** Loaded on first use, because most hubs have no passkeys. */
async function loadPasskey(deps: HalfWayDeps, ctx: Context<AppEnv>) {
  const { askAnyPasskey } = await import("./passkey-challenges.ts");
  return askAnyPasskey(deps, ctx);
}

/** The origin of a request, as sessions record it. */
export function toVisitor(ctx: Context<AppEnv>): Visitor {
  return {
    ipAddress: findClientIp(ctx),
    userAgent: findUserAgent(ctx.req.raw.headers),
  };
}
