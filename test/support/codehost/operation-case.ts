import type { Json } from "@hub/connector";

export type Params = Record<string, Json>;

/** An expected request, as the code host documents it. */
export type ExpectedRequest = {
  method: string;
  /** The escaped path without the base URL. */
  path: string;
  /** Required parameters of the query. Others are allowed. */
  query: Record<string, string>;
  /** The complete body; undefined for a request without a body. */
  body: Json | undefined;
};

export type ExpectedCall = {
  given: Params;
  /** The last requests of the call in order. Look-ups before them may differ. */
  sends: ExpectedRequest[];
};

/** One operation of the specification. */
export type OperationCase = {
  isDestructive: boolean;
  /** A call with only the required inputs. */
  minimal: ExpectedCall;
  /** A call with every input of the specification. */
  full: ExpectedCall;
};

export type OperationCases = Record<string, OperationCase>;

const owner = "octocat";
const name = "hello-world";
/** The repository of all cases, as inputs and as a path. */
export const repo: Params = { owner, repo: name };
export const repoPath = `/repos/${owner}/${name}`;

export const get = (path: string, query: Record<string, string> = {}): ExpectedRequest => ({
  method: "GET",
  path,
  query,
  body: undefined,
});

export const send = (method: string, path: string, body?: Json): ExpectedRequest => ({
  method,
  path,
  query: {},
  body,
});

export function defineReading(minimal: ExpectedCall, full: ExpectedCall = minimal): OperationCase {
  return { isDestructive: false, minimal, full };
}

export function defineWriting(minimal: ExpectedCall, full: ExpectedCall = minimal): OperationCase {
  return { isDestructive: true, minimal, full };
}

/** A paged list of the repository. */
export function defineList(
  path: string,
  { required = {}, optional = {} }: { required?: Params; optional?: Record<string, string> } = {},
): OperationCase {
  return defineListAt(`${repoPath}${path}`, { required: { ...repo, ...required }, optional });
}

export function defineListAt(
  path: string,
  {
    required = {},
    query = {},
    optional = {},
  }: {
    required?: Params;
    query?: Record<string, string>;
    optional?: Record<string, string>;
  },
): OperationCase {
  return defineReading(
    { given: required, sends: [get(path, query)] },
    {
      given: { ...required, ...optional, per_page: 100, page: 2 },
      sends: [get(path, { ...query, ...optional, per_page: "100", page: "2" })],
    },
  );
}
