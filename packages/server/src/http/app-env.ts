import type { Server } from "bun";
import type { SignedIn } from "../identity/browser-sessions.ts";
import type { ApiCaller } from "./api/api-caller.ts";
import type { Client } from "./clients/http-client.ts";

/** The variables of a request's context. */
export type AppEnv = {
  Bindings: {
    /** Absent in tests that call the app without a socket. */
    server?: Server<undefined>;
  };
  Variables: {
    /** Set by findClient on every request. */
    client: Client;
    /** Set by recordRequest on every request. */
    requestId: string;
    /** Set on routes of the API. */
    apiCaller: ApiCaller;
    /** When the caller of the API was found. */
    identifiedAtMs: number;
    /** Set by readSession on pages. */
    session: SignedIn | null;
    /** Set by giveCsrfToken for a browser that had none. */
    newFormToken: string | undefined;
    /** Set by checkForm. */
    form: URLSearchParams;
    /** Set by the body readers; null if the bytes are not valid UTF-8. */
    body: string | null;
    /** Set with it. Releases the permit of the request; later uses do nothing. */
    releasePermit: () => void;
  };
};
