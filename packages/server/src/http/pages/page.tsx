/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import type { SignedIn } from "../../identity/sessions.ts";
import { isActive } from "../../identity/to-caller.ts";
import { csrfField } from "../check-form.ts";
import { stylePath } from "./style.ts";

type PageProps = {
  title: string;
  /** Null before sign-in: no menu is shown. */
  signedIn: SignedIn | null;
  /** The path of this page's menu entry. */
  here?: string;
  /** A narrow card in the middle, for forms such as sign-in. */
  narrow?: boolean;
  children?: Child;
};

const menu = [
  ["/profile", "Profile"],
  ["/profile/tokens", "Tokens"],
  ["/profile/mcp", "Connect"],
  ["/tools/encfields", "Encrypt"],
  ["/tools/encfields/decrypt", "Decrypt"],
] as const;

/** The frame of every server-rendered page. It works without scripts. */
export function Page({ title, signedIn, here, narrow = false, children }: PageProps) {
  const isIn = signedIn !== null && isActive(signedIn.user) && !signedIn.mustChangePassword;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{`${title} · Hub`}</title>
        <link rel="stylesheet" href={stylePath} />
        <link rel="icon" href={icon} />
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to content
        </a>
        <header>
          <div class="bar">
            <a class="brand" href="/">
              Hub
            </a>
            {isIn && (
              <nav aria-label="Main">
                {menu.map(([path, name]) => (
                  <a href={path} aria-current={path === here ? "page" : undefined}>
                    {name}
                  </a>
                ))}
              </nav>
            )}
            {signedIn !== null && (
              <form method="post" action="/auth/logout" class="who">
                <span title={signedIn.user.email}>{signedIn.user.email}</span>
                <CsrfField token={signedIn.csrfToken} />
                <button type="submit" class="quiet">
                  Sign out
                </button>
              </form>
            )}
          </div>
        </header>
        <main id="main" class={narrow ? "narrow" : undefined}>
          <h1>{title}</h1>
          {children}
        </main>
      </body>
    </html>
  );
}

/** The field of every form that other sites' pages cannot know. */
export function CsrfField({ token }: { token: string }) {
  return <input type="hidden" name={csrfField} value={token} />;
}

/** A message above a form. Screen readers announce it at once. */
export function Notice({
  kind,
  children,
}: {
  kind: "error" | "success" | "info";
  children?: Child;
}) {
  return (
    <div class={`notice ${kind}`} role={kind === "error" ? "alert" : "status"}>
      {children}
    </div>
  );
}

type FieldProps = {
  name: string;
  label: string;
  type?: string;
  value?: string;
  autocomplete?: string;
  help?: string;
  error?: string | null;
  required?: boolean;
  autofocus?: boolean;
};

/** A labelled input. Screen readers read its help and error. */
export function Field({ name, label, type = "text", help, error = null, ...input }: FieldProps) {
  // An error replaces the help, which would repeat it.
  const isHelped = help !== undefined && error === null;
  const note = error !== null ? `${name}-error` : isHelped ? `${name}-help` : undefined;
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input
        id={name}
        name={name}
        type={type}
        aria-describedby={note}
        aria-invalid={error === null ? undefined : "true"}
        {...input}
      />
      {isHelped && (
        <p class="help" id={`${name}-help`}>
          {help}
        </p>
      )}
      {error && (
        <p class="fault" id={`${name}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

/** Inlined, so that browsers request no file. */
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='3' fill='%234263eb'/%3E%3Cg fill='none' stroke='%234263eb' stroke-width='1.5'%3E%3Ccircle cx='8' cy='8' r='6.5'/%3E%3C/g%3E%3C/svg%3E";
