import type { Server } from "bun";
import type { Caller } from "../caller.ts";
import type { ApiCaller } from "./api/api-caller.ts";

/** What handlers find in their context. */
export type AppEnv = {
  Bindings: {
    /** Absent where a test asks the app without a socket. */
    server?: Server<undefined>;
  };
  Variables: {
    /** Set by checkBearer. */
    caller: Caller;
    /** Set on routes of the API. */
    apiCaller: ApiCaller;
    /** Set by readBody; null when its bytes are no UTF-8. */
    body: string | null;
  };
};
