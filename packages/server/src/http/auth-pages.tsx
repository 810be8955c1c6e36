/** @jsxImportSource hono/jsx */
import type { Context } from "hono";
import type { Sessions } from "../identity/sessions.ts";
import type { SignIn, Visitor } from "../identity/sign-in.ts";
import type { SingleSignOn } from "../identity/sso/single-sign-on.ts";
import type { AppEnv } from "./app-env.ts";
import { giveCsrfToken } from "./check-form.ts";
import { toDestination, withDestination } from "./destination.ts";
import { findClientIp } from "./find-client-ip.ts";
import { findUserAgent } from "./find-user-agent.ts";
import { findDetour } from "./need-session.ts";
import { LoginPage } from "./pages/login.tsx";
import { MessagePage } from "./pages/message.tsx";
import { PasswordPage } from "./pages/password.tsx";
import { renderPage } from "./pages/render-page.ts";
import { clearSessionCookie, setSessionCookie } from "./session-cookie.ts";

export type AuthPageDeps = {
  baseUrl: string;
  signIn: SignIn;
  sessions: Pick<Sessions, "end">;
  singleSignOn: Pick<SingleSignOn, "name"> | null;
};

type Handler = (ctx: Context<AppEnv>) => Response | Promise<Response>;

const wrongLogin = "E-mail or password are wrong.";

/** `/`: to the own pages, or to sign in. */
export const showStart: Handler = (ctx) => ctx.redirect(toNext(ctx, "/profile"), 303);

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
    const given = { email, password: form.get("password") ?? "" };
    const token = await deps.signIn.byPassword(given, toVisitor(ctx));
    if (token === null) {
      ctx.status(401);
      return renderLogin(deps, ctx, { destination, email, fault: wrongLogin });
    }
    // An id that was there before, perhaps planted, is not the one that is signed in.
    const before = ctx.get("session");
    if (before !== null) await deps.sessions.end(before.sessionId);
    setSessionCookie(deps, ctx, token);
    return ctx.redirect(destination, 303);
  };
}

export function signOut(deps: AuthPageDeps): Handler {
  return async (ctx) => {
    const session = ctx.get("session");
    if (session !== null) await deps.sessions.end(session.sessionId);
    clearSessionCookie(deps, ctx);
    // Who signs out to be somebody else goes on with what was under way.
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
    const changed = await deps.signIn.changePassword(session, given, toVisitor(ctx));
    if ("fault" in changed) {
      ctx.status(422);
      return renderPage(
        ctx,
        <PasswordPage signedIn={session} destination={destination} wrong={changed} />,
      );
    }
    setSessionCookie(deps, ctx, changed.token);
    return ctx.redirect(destination, 303);
  };
}

export const showPending: Handler = (ctx) => {
  const session = ctx.get("session");
  if (session === null || session.user.status !== "pending") {
    return ctx.redirect(toNext(ctx, "/profile"), 303);
  }
  return renderPage(
    ctx,
    <MessagePage
      title="Almost there"
      text="Your account is waiting for an admin to let it in. Come back later, or ask one."
      signedIn={session}
    />,
  );
};

/** Where to go on, or where to go first. */
function toNext(ctx: Context<AppEnv>, destination: string): string {
  const first = findDetour(ctx.get("session"));
  return first === null ? destination : withDestination(first, destination);
}

/** The sign-in page, perhaps with what went wrong. */
export function renderLogin(
  deps: Pick<AuthPageDeps, "baseUrl" | "singleSignOn">,
  ctx: Context<AppEnv>,
  shown: { destination: string; email: string; fault: string | null },
): Response | Promise<Response> {
  const { singleSignOn } = deps;
  const href = withDestination("/auth/sso", shown.destination);
  return renderPage(
    ctx,
    <LoginPage
      {...shown}
      csrfToken={giveCsrfToken(deps, ctx)}
      singleSignOn={singleSignOn && { name: singleSignOn.name, href }}
    />,
  );
}

/** From where a request comes, as a session tells it. */
export function toVisitor(ctx: Context<AppEnv>): Visitor {
  return {
    ipAddress: findClientIp(ctx),
    userAgent: findUserAgent(ctx),
  };
}
