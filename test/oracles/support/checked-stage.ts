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
  /** What the base address has behind the host. */
  prefix: string;
};

/** A code host behind a checker of requests, of which it can be said who answers. */
export type CheckedStage = AsyncDisposable & {
  /** For the row. */
  baseUrl: string;
  description: Description;
  answerBy(upstream: AnswerRequest): void;
  /** What left the hub since this was last asked, without the prefix, and what is wrong with it. */
  take(): { sent: SentRequest[]; faults: string[] };
};

type StageOptions = { edition: Edition; requests: readonly DescribedRequest[]; home: string };

export async function startCheckedStage(options: StageOptions): Promise<CheckedStage> {
  const { edition, requests, home } = options;
  await using owned = new AsyncDisposableStack();
  const description = await readDescription(edition.description, requests);
  const upstream = owned.use(await startRecordingHost(() => ({ status: 500 })));
  const prism = owned.use(
    await startPrismProxy(description.toDocument(requests), upstream.url, home),
  );
  let faults: string[] = [];
  const door = owned.use(
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
    baseUrl: `${door.url}${edition.prefix}`,
    description,
    answerBy: upstream.answerBy,
    take() {
      const sent = door.takeSent().map((request) => ({
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

/** Lets another server answer, and passes on what it says. */
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

/** What the checker lets pass, because a schema allows more members than it names. */
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
