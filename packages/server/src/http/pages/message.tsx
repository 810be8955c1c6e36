/** @jsxImportSource hono/jsx */
import type { SignedIn } from "../../identity/browser-sessions.ts";
import { isActive } from "../../identity/to-caller.ts";
import { helpPath } from "../help/help-path.ts";
import { Page } from "./page.tsx";

type MessageProps = {
  title: string;
  text: string;
  signedIn?: SignedIn | null;
  /** The id under which an admin finds the failure in the log. */
  requestId?: string | null;
};

/** A page with one message, such as an error. */
export function MessagePage({ title, text, signedIn = null, requestId = null }: MessageProps) {
  // Before sign-in, the link leads to the sign-in page. Pending users would only come back to theirs.
  const canReadHelp = signedIn === null || isActive(signedIn.user);
  return (
    <Page title={title} signedIn={signedIn} narrow>
      <div class="card">
        <p>{text}</p>
        {requestId !== null && (
          <p class="soft">
            Request <code>{requestId}</code>
          </p>
        )}
      </div>
      <p>
        <a href="/">Back to the start</a>
        {canReadHelp && (
          <>
            {" · "}
            <a href={helpPath}>Help</a>
          </>
        )}
      </p>
    </Page>
  );
}
