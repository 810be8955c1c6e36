/** @jsxImportSource hono/jsx */
import type { SignedIn } from "../../identity/browser-sessions.ts";
import type { ConsentRequest } from "../../oauth/authorization-server.ts";
import { oauthPaths } from "../../oauth/endpoints.ts";
import type { RedirectTarget } from "../../oauth/redirect-uri.ts";
import { CsrfField, Notice, Page } from "./page.tsx";

type ConsentProps = { consent: ConsentRequest; signedIn: SignedIn };

/** Asks a user whether a client may call tools on their behalf. */
export function ConsentPage({ consent, signedIn }: ConsentProps) {
  const path = `${oauthPaths.consent}/${consent.uid}`;
  return (
    <Page title="Connect an application" signedIn={signedIn} narrow>
      <div class="card">
        <p>
          <strong>{consent.clientName}</strong> asks to use this hub on your behalf.
        </p>
        <dl>
          <dt>Sends you back to</dt>
          <dd>
            <strong>{describeTarget(consent.target)}</strong>
          </dd>
          <dt>Its name</dt>
          <dd>
            {consent.voucher === null ? (
              "was chosen by the application and is not verified"
            ) : (
              <>
                is confirmed by <strong>{consent.voucher}</strong>
              </>
            )}
          </dd>
          <dt>It may</dt>
          <dd>list and call every tool that you can use, on your behalf</dd>
          <dt>Until</dt>
          <dd>you or an admin disconnect it, or it is not used for 30 days</dd>
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
 * Continues with a separate request, because browsers apply the page's form-action to redirects after
 * a form and would block the one to the client. A Refresh header starts it, except for apps: browsers
 * open those only after a click, and the redirect works only once.
 */
export function ContinuePage({ path, target, signedIn }: ContinueProps) {
  return (
    <Page title="Back to the application" signedIn={signedIn} narrow>
      <div class="card">
        {target.kind === "app" ? (
          <>
            <p>
              The application goes on after you open it. Your browser may ask first. You can then
              close this page.
            </p>
            <a class="button wide" href={path}>
              Open the app
            </a>
          </>
        ) : (
          <p>
            The application continues in a moment. You can then close this page.{" "}
            <a href={path}>Continue</a> if nothing happens.
          </p>
        )}
      </div>
    </Page>
  );
}

type FailureProps = { message: string; detail: string | null; signedIn: SignedIn | null };

/** Shows an error that cannot be sent to the client, because the client is not known. */
export function OAuthFailurePage({ message, detail, signedIn }: FailureProps) {
  return (
    <Page title="This application cannot be connected" signedIn={signedIn} narrow>
      <p>{message}</p>
      {detail !== null && (
        <p class="help">
          Details for its developers: <code>{detail}</code>
        </p>
      )}
    </Page>
  );
}

function describeTarget(target: RedirectTarget): string {
  if (target.kind === "site") return target.host;
  if (target.kind === "computer") return `a program on your computer (${target.host})`;
  return `an app on your computer (the one that opens ${target.scheme}: links)`;
}

/** Every client can register any name. Only the address that receives the codes cannot be forged. */
function warn(target: RedirectTarget): string {
  if (target.kind === "site") {
    return `Allow it only if you came here from ${target.host} and trust it with everything that you can do.`;
  }
  const name = target.kind === "app" ? `the name ${target.scheme}` : "that name";
  return `Allow it only if you started this yourself just now, in a program on this computer. Any program on this computer can use ${name}.`;
}
