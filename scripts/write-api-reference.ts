/**
 * Writes docs/reference/api.md and the pages of docs/reference/api/ from the server's routes and schemas:
 * `npx bun scripts/write-api-reference.ts`. A test checks that the pages are up to date.
 */
import { mkdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type ApiDocument, describeApi } from "../packages/server/src/http/api/api-document.ts";
import { findSubject, type Subject, subjects } from "./api-reference/subjects.ts";
import { type Operation, toSection, toShape } from "./api-reference/write-section.ts";

const reference = join(resolve(import.meta.dirname, ".."), "docs/reference");

const intro = `# Management API

The functions of admins and the functions that each user has, as JSON over HTTP. The complete
description is served as an OpenAPI 3.1 document at \`/openapi.json\`, for client generators.
\`npx bun scripts/write-api-reference.ts\` writes these pages from that document.

- **Authentication** is a personal access token with the scope \`manage\`
  (\`Authorization: Bearer hub_pat_…\`) or a signed-in browser. Changes by a browser also need the header
  \`X-CSRF-Token\`, with the token of \`GET /profile/api/me\`. Tokens of applications are refused.
- **Requests** are JSON. Unknown members and query parameters are refused, so that a misspelt name is
  noticed. New members may be added to answers.
- **Failures** are \`{"error": "<what to do>", "code": "<word>"}\`, with \`issues\` if several values are
  wrong. There are no redirects.
- **Objects that a caller may not see** are answered with 404, like objects that do not exist.

Worked examples are in the [guide](../guide/management-api.md).
`;

/** The pages by their paths below `docs/reference`: the index, and one page for each subject. */
export function toApiReference(document: ApiDocument): Map<string, string> {
  const endpoints = listEndpoints(document);
  const homes = findHomes(document, endpoints);
  const pages = new Map([["api.md", toIndex(endpoints)]]);
  for (const subject of subjects) {
    const shapes = Object.entries(document.components?.schemas ?? {})
      .filter(([name]) => homes.get(name) === subject)
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map(([name, schema]) => toShape(name, Object(schema)));
    const groups = Map.groupBy(
      endpoints.filter((endpoint) => endpoint.subject === subject),
      ({ group }) => group,
    );
    const text = [
      `# API: ${toLowerFirst(subject.title)}\n\nA part of the [management API](../api.md): ${subject.about}.\n`,
      ...[...groups].map(
        ([group, of]) => `## ${group}\n\n${of.map(({ text }) => text).join("\n")}`,
      ),
      ...(shapes.length > 0 ? [`## Shapes\n\n${shapes.join("\n")}`] : []),
    ].join("\n");
    pages.set(`api/${subject.page}.md`, linkShapes(text, subject, homes));
  }
  return pages;
}

type Endpoint = {
  title: string;
  summary: string;
  /** `Rows (\`/manager/api\`)` */
  group: string;
  subject: Subject;
  text: string;
};

function listEndpoints(document: ApiDocument): Endpoint[] {
  const found: Endpoint[] = [];
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of ["get", "post", "put", "patch", "delete"] as const) {
      const operation: Operation | undefined = item?.[method];
      if (operation === undefined) continue;
      const name = method.toUpperCase();
      found.push({
        title: `${name} ${path}`,
        summary: operation.summary ?? "",
        group: `${toTitle(operation.tags?.[0] ?? "")} (\`/${path.split("/")[1]}/api\`)`,
        subject: findSubject(path),
        text: toSection(name, path, operation),
      });
    }
  }
  return found;
}

function toIndex(endpoints: readonly Endpoint[]): string {
  const parts = subjects.map((subject) => {
    const page = `api/${subject.page}.md`;
    const lines = endpoints
      .filter((endpoint) => endpoint.subject === subject)
      .map(({ title, summary }) => `- [\`${title}\`](${page}#${toAnchor(title)}): ${summary}`);
    return `## [${subject.title}](${page})\n\n${toUpperFirst(subject.about)}.\n\n${lines.join("\n")}\n`;
  });
  return [intro, ...parts].join("\n");
}

const shapeLink = /\[(\w+)\]\(#(\w+)\)/g;

/** Each shape is on the page of the first subject whose endpoints, or shapes, name it. */
function findHomes(document: ApiDocument, endpoints: readonly Endpoint[]): Map<string, Subject> {
  const shapes = document.components?.schemas ?? {};
  const homes = new Map<string, Subject>();
  const claim = (text: string, subject: Subject) => {
    for (const [, name = ""] of text.matchAll(shapeLink)) {
      if (homes.has(name)) continue;
      homes.set(name, subject);
      claim(toShape(name, Object(shapes[name])), subject);
    }
  };
  for (const subject of subjects) {
    for (const endpoint of endpoints)
      if (endpoint.subject === subject) claim(endpoint.text, subject);
  }
  return homes;
}

function linkShapes(text: string, here: Subject, homes: ReadonlyMap<string, Subject>): string {
  return text.replace(shapeLink, (link, name: string, anchor: string) => {
    const home = homes.get(name);
    return home === undefined || home === here ? link : `[${name}](${home.page}.md#${anchor})`;
  });
}

/** As GitHub makes it. */
function toAnchor(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
}

function toTitle(word: string): string {
  return toUpperFirst(word.replaceAll("-", " "));
}

function toUpperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function toLowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

if (import.meta.main) {
  await rm(join(reference, "api"), { recursive: true, force: true });
  await mkdir(join(reference, "api"));
  const pages = toApiReference(describeApi({ hubVersion: "", baseUrl: "" }));
  for (const [path, text] of pages) await Bun.write(join(reference, path), text);
}
