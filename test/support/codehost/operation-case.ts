import type { Json } from "@hub/connector";

export type Params = Record<string, Json>;

/** A request that has to leave, as the code host documents it. */
export type ExpectedRequest = {
  method: string;
  /** Without the base address; escaped. */
  path: string;
  /** Has to be among the query's parameters. */
  query: Record<string, string>;
  /** Has to be the whole body; undefined stands for none. */
  body: Json | undefined;
};

export type ExpectedCall = {
  given: Params;
  /** The last requests of the call, in order; what is looked up before them may differ. */
  sends: ExpectedRequest[];
};

/** What the specification says of one operation. */
export type OperationCase = {
  isDestructive: boolean;
  /** With the inputs that are required, and no more. */
  minimal: ExpectedCall;
  /** With every input that the specification names. */
  full: ExpectedCall;
};

export type OperationCases = Record<string, OperationCase>;

const owner = "octocat";
const name = "hello-world";
/** The inputs and the path of the repository in which everything happens. */
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

/** A list below the repository, of which a page and its size can be asked for. */
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
