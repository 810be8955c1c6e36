/** @jsxImportSource hono/jsx */
import { errorTable, type HubError } from "../../errors.ts";
import type { SignedIn } from "../../identity/browser-sessions.ts";
import { MessagePage } from "./message.tsx";

const titles: Record<number, string> = {
  400: "The request failed",
  401: "Please sign in",
  403: "Not allowed",
  404: "Page not found",
  429: "Too many attempts",
  500: "Something went wrong",
};

/** The page that shows a failure. */
export function toProblemPage(
  failure: HubError,
  { signedIn, requestId }: { signedIn: SignedIn | null; requestId: string },
) {
  const { httpStatus } = errorTable[failure.code];
  const title = titles[httpStatus] ?? (httpStatus < 500 ? titles[400] : titles[500]);
  return (
    <MessagePage
      title={title ?? ""}
      text={failure.message}
      signedIn={signedIn}
      // The log has the cause of internal failures under this id.
      requestId={httpStatus >= 500 ? requestId : null}
    />
  );
}
