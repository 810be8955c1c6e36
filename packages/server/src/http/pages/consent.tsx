/** @jsxImportSource hono/jsx */
import type { SignedIn } from "../../identity/sessions.ts";
import type { ConsentRequest } from "../../oauth/authorization-server.ts";
import { oauthPaths } from "../../oauth/endpoints.ts";
import type { RedirectTarget } from "../../oauth/redirect-uri.ts";
import { CsrfField, Notice, Page } from "./page.tsx";

type ConsentProps = { consent: ConsentRequest; signedIn: SignedIn };

/** Asks a user whether a client may call tools in their name. */
export function ConsentPage({ consent, signedIn }: ConsentProps) {
  const path = `${oauthPaths.consent}/${consent.uid}`;
  return (
    <Page title="Connect an application" signedIn={signedIn} narrow>
      <div class="card">
        <p>
          <strong>{consent.clientName}</strong> asks to use this hub as you.
        </p>
        <dl>
          <dt>Sends you back to</dt>
          <dd>
            <strong>{describeTarget(consent.target)}</strong>
          </dd>
          <dt>Its name is</dt>
          <dd>
            {consent.voucher === null ? (
              "chosen by itself, and checked by nobody"
            ) : (
              <>
                vouched for by <strong>{consent.voucher}</strong>
              </>
            )}
          </dd>
          <dt>It may</dt>
          <dd>see and call every tool that you can, as if you did</dd>
          <dt>Until</dt>
          <dd>you or an admin cut it off, or it stays away for 30 days</dd>
          <dt>You are</dt>
          <dd>
            <strong>{signedIn.user.name}</strong> ({signedIn.user.email})
          </dd>
        </dl>
        <Notice kind="info">{warn(consent.target)}</Notice>
        <form method="post" action={path} class="actions">
          <CsrfField token={signedIn.csrfToken} />
          <button type="submit" name="decision" value="allow">
            Allow
          </button>
          <button type="submit" name="decision" value="deny" class="quiet">
            Deny
          </button>
        </form>
      </div>
      <form method="post" action="/auth/logout">
        <CsrfField token={signedIn.csrfToken} />
        <input type="hidden" name="next" value={path} />
        <button type="submit" class="quiet">
          Sign in as someone else
        </button>
      </form>
    </Page>
  );
}

type ContinueProps = { path: string; target: RedirectTarget; signedIn: SignedIn };

/**
 * Carries on by a request of its own: browsers hold a form's answer to the page's form-action, and
 * would stop the way to the client. It comes with a Refresh header, but for apps: browsers start those
 * at a person's click, and the way can be gone once only.
 */
export function ContinuePage({ path, target, signedIn }: ContinueProps) {
  return (
    <Page title="Back to the application" signedIn={signedIn} narrow>
      <div class="card">
        {target.kind === "app" ? (
          <a class="button wide" href={path}>
            Open the app
          </a>
        ) : (
          <p>
            You can close this page once the application has taken over.{" "}
            <a href={path}>Continue by hand</a> if nothing happens.
          </p>
        )}
      </div>
    </Page>
  );
}

type FailureProps = { message: string; detail: string | null; signedIn: SignedIn | null };

/** What went wrong before it was clear which client to tell. */
export function OAuthFailurePage({ message, detail, signedIn }: FailureProps) {
  return (
    <Page title="This application cannot be connected" signedIn={signedIn} narrow>
      <p>{message}</p>
      {detail !== null && (
        <p class="help">
          For its makers: <code>{detail}</code>
        </p>
      )}
    </Page>
  );
}

function describeTarget(target: RedirectTarget): string {
  if (target.kind === "site") return target.host;
  if (target.kind === "computer") return `a program on your computer (${target.host})`;
  return `an app on your computer (${target.scheme})`;
}

/** Anybody can register under any name; where the codes go is what cannot be made up. */
function warn(target: RedirectTarget): string {
  return target.kind === "site"
    ? `Allow it only if you came here from ${target.host} and trust it with what you can do.`
    : "Allow it only if you started this yourself just now, in a program on this computer. Any program here can claim that name.";
}
