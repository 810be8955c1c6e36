/** @jsxImportSource hono/jsx */
import type { SignedIn } from "../../identity/sessions.ts";
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
      </p>
    </Page>
  );
}
