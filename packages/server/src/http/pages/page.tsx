/** @jsxImportSource hono/jsx */
import { type IconName, icons } from "@hub/contract/icons.ts";
import type { MenuFold } from "@hub/contract/menu-fold.ts";
import { listNavigation } from "@hub/contract/navigation.ts";
import { raw } from "hono/html";
import { type Child, createContext, useContext } from "hono/jsx";
import type { SignedIn } from "../../identity/browser-sessions.ts";
import { isActive } from "../../identity/to-caller.ts";
import { csrfField } from "../guards/check-form.ts";
import { fontPreload } from "./font.ts";
import { iconUrl, type Scheme } from "./page-look.ts";
import { frameScript } from "./page-scripts.ts";
import { stylePath } from "./style.ts";

/** The colours and the menu that this browser has chosen, and whether the policy of the page allows its scripts. */
export const FrameContext = createContext<{ scheme: Scheme; fold: MenuFold; hasScripts: boolean }>({
  scheme: null,
  fold: "open",
  hasScripts: false,
});

/** Whether a user gets the menu: one who may use the hub, and has chosen a password. */
export function hasMenu(signedIn: SignedIn | null): signedIn is SignedIn {
  return signedIn !== null && isActive(signedIn.user) && !signedIn.mustChangePassword;
}

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

/** The frame of every server-rendered page. It works without scripts. */
export function Page({ title, signedIn, here, narrow = false, children }: PageProps) {
  const { scheme, fold, hasScripts } = useContext(FrameContext);
  const isIn = hasMenu(signedIn);
  return (
    <html lang="en" data-scheme={scheme ?? undefined} data-menu={fold}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content={scheme ?? "light dark"} />
        <meta name="robots" content="noindex" />
        <title>{`${title} · Hub`}</title>
        <link {...fontPreload} />
        <link rel="stylesheet" href={stylePath} />
        <link rel="icon" href={iconUrl} />
      </head>
      <body>
        <a class="hub-skip" href="#main">
          Skip to content
        </a>
        <header class="hub-header">
          {isIn && (
            <button
              type="button"
              class="hub-icon-button hub-menu-button"
              popovertarget="menu"
              aria-label="Menu"
            >
              <Icon name="menu" />
            </button>
          )}
          <a class="hub-brand" href="/">
            <Logo />
            Hub
          </a>
          <div class="hub-header-end">
            {isIn && (
              <a class="hub-search" href="/#search">
                <Icon name="search" />
                <span>Search</span>
              </a>
            )}
            {signedIn !== null && !isIn && <Who signedIn={signedIn} />}
            <SchemeSwitch />
          </div>
        </header>
        <div class="hub-frame">
          {isIn && <Menu signedIn={signedIn} here={here} />}
          <main id="main" class={narrow ? "hub-main narrow" : "hub-main"}>
            <h1>{title}</h1>
            {children}
          </main>
        </div>
        {hasScripts && <script>{raw(frameScript)}</script>}
      </body>
    </html>
  );
}

/** Shown by the script, without which it would do nothing. */
function SchemeSwitch() {
  return (
    <button type="button" class="hub-icon-button" id="scheme" hidden>
      <Icon name="screen" id="is-auto" />
      <Icon name="sun" id="is-light" />
      <Icon name="moon" id="is-dark" />
    </button>
  );
}

function Menu({ signedIn, here }: { signedIn: SignedIn; here: string | undefined }) {
  return (
    <nav class="hub-nav" id="menu" popover="auto" aria-label="Main">
      {listNavigation({ isAdmin: signedIn.user.role === "admin" }).map(({ title, items }) => (
        <>
          {title !== null && (
            <h2>
              <span>{title}</span>
            </h2>
          )}
          <ul>
            {items.map(({ path, name, icon }) => (
              <li>
                <a href={path} aria-current={path === here ? "page" : undefined}>
                  <Icon name={icon} />
                  <span class="hub-name">{name}</span>
                </a>
              </li>
            ))}
          </ul>
        </>
      ))}
      <Who signedIn={signedIn}>
        <FoldSwitch />
      </Who>
    </nav>
  );
}

/** Shown by the script, without which it would do nothing. */
function FoldSwitch() {
  return (
    <button type="button" class="hub-icon-button hub-fold" id="fold" aria-controls="menu" hidden>
      <Icon name="fold" id="is-open" />
      <Icon name="unfold" id="is-folded" />
    </button>
  );
}

function Who({ signedIn, children }: { signedIn: SignedIn; children?: Child }) {
  return (
    <form method="post" action="/auth/logout" class="hub-who">
      <span title={signedIn.user.email}>{signedIn.user.email}</span>
      <CsrfField token={signedIn.csrfToken} />
      <button type="submit" class="hub-icon-button" aria-label="Sign out" title="Sign out">
        <Icon name="signOut" />
      </button>
      {children}
    </form>
  );
}

function Icon({ name, id }: { name: IconName; id?: string }) {
  return (
    <svg class="hub-icon" id={id} viewBox="0 0 16 16" aria-hidden="true">
      <path d={icons[name]} />
    </svg>
  );
}

function Logo() {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="8" cy="8" r="3" fill="currentColor" />
      <circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" stroke-width="1.5" />
    </svg>
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
