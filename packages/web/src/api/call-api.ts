import type { Api } from "@hub/contract/api.ts";
import { ApiError, readAnswer, toApiError } from "./api-error.ts";
import { listFrames, readEvents, toFailure } from "./read-event-stream.ts";
import { type SendFile, sendFile } from "./send-file.ts";

/** A route of the management API, such as `"GET /manager/api/runs"`. */
export type Route = keyof Api;
export type ReadRoute = Extract<Route, `GET ${string}`>;
export type Answer<R extends Route> = Api[R]["answer"];

/** The keys of all members of a union. */
type AnyKey<T> = T extends unknown ? keyof T : never;

type InputPart<Name extends string, T> = [AnyKey<T>] extends [never]
  ? unknown
  : Record<never, never> extends T
    ? { [_ in Name]?: T }
    : { [_ in Name]: T };

/** The parameters of the path, the query and the body that a route takes. */
export type Input<R extends Route> = InputPart<"params", Api[R]["params"]> &
  InputPart<"query", Api[R]["query"]> &
  InputPart<"body", Api[R]["body"]>;

/** The input as an argument, which can be left out if a route needs none, and a signal that ends the call. */
export type InputArgs<R extends Route> =
  Record<never, never> extends Input<R>
    ? [input?: Input<R>, signal?: AbortSignal]
    : [input: Input<R>, signal?: AbortSignal];

export type ApiDeps = {
  /**
   * Signs in again, without leaving the page. Resolves when the browser has a session. The e-mail is
   * null before the user is known.
   */
  renewSession(email: string | null): Promise<void>;
  /** Asks the user of the session who they are. Resolves with false if they go back. */
  confirmUser(email: string): Promise<boolean>;
  /** The browser is signed in as another user than before: nothing on the page is theirs. */
  onOtherUser(): void;
  /** In tests something else. */
  send?: SendFile;
};

/** How an upload goes, and a signal that ends it. */
type Uploading = {
  /** From 0 to 100, as the file is sent. */
  onSent(percent: number): void;
  onProgress(progress: unknown): void;
  signal?: AbortSignal;
};

export type ApiClient = {
  /** Calls a route of the management API. Throws `ApiError`. */
  call<R extends Route>(route: R, ...input: InputArgs<R>): Promise<Answer<R>>;
  /** Calls a route for long work, which reports each step before its answer. Throws `ApiError`. */
  follow<R extends Route>(
    route: R,
    input: Input<R>,
    onProgress: (progress: unknown) => void,
    signal?: AbortSignal,
  ): Promise<Answer<R>>;
  /** Calls a route for events, until its stream ends. Throws `ApiError`. */
  listen<R extends Route>(
    route: R,
    input: Input<R>,
    listening: { onEvent(event: Record<string, unknown>): void; signal: AbortSignal },
  ): Promise<void>;
  /** Sends a file as the body, then reports each step like `follow`. Throws `ApiError`. */
  upload<R extends FileRoute>(route: R, input: Input<R>, uploading: Uploading): Promise<Answer<R>>;
};

/** A route that takes a file as its body. */
type FileRoute = { [R in Route]: Api[R]["body"] extends Blob ? R : never }[Route];

type AnyInput = {
  params?: Record<string, string>;
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  accept?: string;
  signal?: AbortSignal;
};

/**
 * A save of at most this many characters is sent also if its page is closed meanwhile. Browsers allow
 * 64 KiB for all such requests together, and a character has at most three bytes.
 */
const keepaliveLengthMax = 16_384;

/**
 * Calls the management API with the session of this browser. If the session has ended, signs in again
 * and sends the request once more, so that the caller notices nothing.
 */
export function createApiClient(deps: ApiDeps): ApiClient {
  const { send: sendTo = sendFile } = deps;
  const { readMe, recordMe, sendWithNewToken } = createSender(deps);
  return {
    async call<R extends Route>(route: R, ...[input, signal]: InputArgs<R>): Promise<Answer<R>> {
      const sent: AnyInput = { ...(input as AnyInput | undefined), ...(signal && { signal }) };
      const response = await sendWithNewToken(route, sent);
      if (!response.ok) throw await toApiError(response);
      // The server checks its answers by the schemas from which the type is made.
      const answer = (await readAnswer(response)) as Answer<R>;
      if (route === "GET /profile/api/me") await recordMe(answer as Answer<"GET /profile/api/me">);
      return answer;
    },
    async follow<R extends Route>(
      route: R,
      input: Input<R>,
      onProgress: (progress: unknown) => void,
      signal?: AbortSignal,
    ): Promise<Answer<R>> {
      const accept = "text/event-stream";
      const events = { ...(input as AnyInput), accept, ...(signal && { signal }) };
      const response = await sendWithNewToken(route, events);
      if (!response.ok) throw await toApiError(response);
      // The server checks its answers by the schemas from which the type is made.
      return (await readEvents(response, onProgress)) as Answer<R>;
    },
    async listen(route, input, { onEvent, signal }) {
      const events = { ...(input as AnyInput), accept: "text/event-stream", signal };
      const response = await sendWithNewToken(route, events);
      if (!response.ok) throw await toApiError(response);
      for await (const event of listFrames(response)) {
        if ("code" in event && "error" in event) throw toFailure(event);
        onEvent(event);
      }
    },
    async upload<R extends FileRoute>(
      route: R,
      input: Input<R>,
      { onSent, onProgress, signal }: Uploading,
    ): Promise<Answer<R>> {
      // Before the file is sent, because a hub that refuses it does not read it to its end.
      const { csrf_token: token } = await readMe();
      const { body, ...rest } = input as AnyInput;
      const headers = new Headers({
        accept: "text/event-stream",
        "content-type": "application/octet-stream",
        "x-csrf-token": token ?? "",
      });
      const sending = { headers, file: body as Blob, onPercent: onSent, signal };
      const response = await sendTo({ ...toRequest(route, rest), ...sending });
      if (!response.ok) throw await toApiError(response);
      // The server checks its answers by the schemas from which the type is made.
      return (await readEvents(response, onProgress)) as Answer<R>;
    },
  };
}

/** Sends requests as the user who is signed in. */
function createSender({ renewSession, confirmUser, onOtherUser }: ApiDeps) {
  let me: Answer<"GET /profile/api/me"> | null = null;

  async function send(route: Route, input: AnyInput): Promise<Response> {
    const { method, url } = toRequest(route, input);
    const headers = new Headers({ accept: input.accept ?? "application/json" });
    if (method !== "GET") headers.set("x-csrf-token", (me ?? (await readMe())).csrf_token ?? "");
    const { body } = input;
    if (body !== undefined) headers.set("content-type", "application/json");
    const text = body === undefined ? null : JSON.stringify(body);
    const init = {
      method,
      headers,
      body: text,
      signal: input.signal ?? null,
      keepalive: method === "PUT" && text !== null && text.length <= keepaliveLengthMax,
    };
    try {
      return await fetch(url, init);
    } catch (cause) {
      throw ApiError.unreachable(cause);
    }
  }

  async function readMe(): Promise<Answer<"GET /profile/api/me">> {
    const response = await sendSignedIn("GET /profile/api/me", {});
    if (!response.ok) throw await toApiError(response);
    // The server checks its answers by the schemas from which the type is made.
    return await recordMe((await readAnswer(response)) as Answer<"GET /profile/api/me">);
  }

  async function recordMe(found: Answer<"GET /profile/api/me">) {
    if (me !== null && me.user.id !== found.user.id) {
      onOtherUser();
      // A change that one user began must not be sent as another one.
      await new Promise(() => {});
    }
    me = found;
    return found;
  }

  async function sendSignedIn(route: Route, input: AnyInput): Promise<Response> {
    const response = await send(route, input);
    if (response.status !== 401) return response;
    await renewSession(me?.user.email ?? null);
    if (route !== "GET /profile/api/me") await readMe();
    return await send(route, input);
  }

  /** A sign-in in another tab replaces the session and its CSRF token. */
  async function sendWithNewToken(route: Route, input: AnyInput): Promise<Response> {
    const before = me?.csrf_token;
    const response = await sendSignedIn(route, input);
    if (response.status !== 403 || route.startsWith("GET ")) return response;
    if (await needsFreshSignIn(response)) {
      if (!(await confirmUser((me ?? (await readMe())).user.email))) return response;
      await readMe();
      return await sendSignedIn(route, input);
    }
    return (await readMe()).csrf_token === before ? response : await sendSignedIn(route, input);
  }

  return { readMe, recordMe, sendWithNewToken };
}

/** Whether the hub asks who the user is before it does what was asked. */
async function needsFreshSignIn(response: Response): Promise<boolean> {
  const { code } = await toApiError(response.clone());
  return code === "fresh_sign_in_required";
}

/**
 * The method and address of a call.
 * @internal
 */
export function toRequest(
  route: Route,
  { params = {}, query = {} }: AnyInput,
): { method: string; url: string } {
  const [method = "", path = ""] = route.split(" ");
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ""));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") search.set(name, String(value));
  }
  return { method, url: search.size === 0 ? filled : `${filled}?${search}` };
}
