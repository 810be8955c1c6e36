/** @jsxImportSource hono/jsx */
import { errorTable, type HubError } from "../../errors.ts";
import type { SignedIn } from "../../identity/sessions.ts";
import { MessagePage } from "./message.tsx";

const titles: Record<number, string> = {
  400: "That did not work",
  401: "Please sign in",
  403: "Not allowed",
  404: "Nothing here",
  429: "Too many attempts",
  500: "Something went wrong",
};

/** A failure as a person reads it. */
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
      // Of what is the hub's own fault the log knows more, under this name.
      requestId={httpStatus >= 500 ? requestId : null}
    />
  );
}
