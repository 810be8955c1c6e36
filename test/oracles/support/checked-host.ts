import {
  type AnswerRequest,
  type HostAnswer,
  type SentRequest,
  startRecordingHost,
} from "../../support/recording-host.ts";
import { type DescribedRequest, type Description, readDescription } from "./github-description.ts";
import { readViolations, startPrismProxy } from "./prism-proxy.ts";

export type Edition = {
  name: string;
  description: "api.github.com" | "ghes-3.19";
  /** The path of the base URL. */
  prefix: string;
};

/** A code host behind a checker of requests. Its answers can be replaced. */
export type CheckedHost = AsyncDisposable & {
  /** The base URL for the row. */
  baseUrl: string;
  description: Description;
  answerBy(upstream: AnswerRequest): void;
  /** Removes and returns the recorded requests, without the prefix, and their faults. */
  take(): { sent: SentRequest[]; faults: string[] };
};

type CheckedHostOptions = { edition: Edition; requests: readonly DescribedRequest[]; home: string };

export async function startCheckedHost(options: CheckedHostOptions): Promise<CheckedHost> {
  const { edition, requests, home } = options;
  await using owned = new AsyncDisposableStack();
  const description = await readDescription(edition.description, requests);
  const upstream = owned.use(await startRecordingHost(() => ({ status: 500 })));
  const prism = owned.use(
    await startPrismProxy(description.toDocument(requests), upstream.url, home),
  );
  let faults: string[] = [];
  const recorder = owned.use(
    await startRecordingHost(async (sent) => {
      if (!sent.target.startsWith(`${edition.prefix}/`)) {
        faults.push(`${sent.method} ${sent.target} leaves the base address.`);
        return { status: 404 };
      }
      const request = { ...sent, target: sent.target.slice(edition.prefix.length) };
      const answer = await forward(request, prism.url);
      const found = [...answer.violations, ...findUnknownNames(description, request)];
      faults.push(...found.map((fault) => `${request.method} ${request.target}: ${fault}`));
      return answer;
    }),
  );
  const all = owned.move();
  return {
    baseUrl: `${recorder.url}${edition.prefix}`,
    description,
    answerBy: upstream.answerBy,
    take() {
      const sent = recorder.takeSent().map((request) => ({
        ...request,
        target: request.target.slice(edition.prefix.length),
      }));
      const taken = faults;
      faults = [];
      return { sent, faults: taken };
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Forwards a request to another server, and returns its answer. */
export async function forward(
  sent: SentRequest,
  to: string,
): Promise<HostAnswer & { violations: string[] }> {
  const headers = new Headers(sent.headers);
  for (const name of ["host", "connection", "content-length", "accept-encoding"]) {
    headers.delete(name);
  }
  const answer = await fetch(`${to}${sent.target}`, {
    method: sent.method,
    headers,
    ...(sent.body !== "" && { body: sent.body }),
    redirect: "manual",
  });
  const text = await answer.text();
  const violations = readViolations(answer, text).map(
    ({ location, message }) => `${location.join(".")}: ${message}`,
  );
  for (const name of ["sl-violations", "content-length", "content-encoding", "connection"]) {
    answer.headers.delete(name);
  }
  return {
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    ...(text !== "" && { body: text }),
    violations,
  };
}

/** Finds unknown names, which the checker accepts because schemas allow additional members. */
function findUnknownNames(description: Description, sent: SentRequest): string[] {
  const url = new URL(sent.target, "http://host");
  const request = description.findRequest(sent.method, url.pathname);
  if (request === null) return [];
  const query = description.listQuery(request);
  const body = description.listBody(request);
  const members = sent.body === "" ? [] : Object.keys(JSON.parse(sent.body));
  return [
    ...[...url.searchParams.keys()]
      .filter((name) => !query.includes(name))
      .map((name) => `the query has no parameter "${name}"`),
    ...members
      .filter((name) => !body.includes(name))
      .map((name) => `the body has no member "${name}"`),
  ];
}
