import { problemSchema } from "@hub/contract/problem-document.ts";
import { z } from "zod";
import {
  type CreateDocumentOptions,
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from "zod-openapi";
import { type ErrorCode, errorTable } from "../../errors.ts";
import { type ApiRoute, apiRoutes } from "./api-routes.ts";
import { needsSpace } from "./endpoint.ts";

/** Failures of every endpoint. */
const commonFailures: readonly ErrorCode[] = [
  "bad_request",
  "unauthorized",
  "forbidden",
  "insufficient_scope",
  "unavailable",
  "internal",
];

const issueSchema = z.object({ path: z.string(), message: z.string() });
const failureSchema = problemSchema
  .extend({
    issues: z.array(issueSchema).optional(),
    issues_left_out: z.int().optional().describe("How many faults there are beside these issues."),
  })
  .meta({ id: "Problem", description: "`error` says what to do next; `code` is for programs." });

export type ApiDocument = ReturnType<typeof describeApi>;

type SimplifyContext = Parameters<NonNullable<CreateDocumentOptions["override"]>>[0];

/** The API as an OpenAPI 3.1 document, made from the schemas that validate requests. */
export function describeApi({ hubVersion, baseUrl }: { hubVersion: string; baseUrl: string }) {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of apiRoutes) {
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: describeOperation(route),
    };
  }
  const document: ZodOpenApiObject = {
    openapi: "3.1.1",
    info: { title: "Hub management API", version: hubVersion },
    servers: [{ url: baseUrl }],
    security: [{ token: [] }, { session: [] }],
    paths,
    components: {
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description: "A personal access token with the scope `manage`.",
        },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "hub_session",
          description:
            "A signed-in browser. Changes also require the header X-CSRF-Token with the csrf_token of GET /profile/api/me.",
        },
      },
    },
  };
  return createDocument(document, { override: simplify });
}

/** Removes patterns that repeat a format, and allows new members in answers for strict clients. */
function simplify({ jsonSchema, io }: SimplifyContext): void {
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (io === "output" && jsonSchema.additionalProperties === false) {
    delete jsonSchema.additionalProperties;
  }
}

function describeOperation(route: ApiRoute): ZodOpenApiOperationObject {
  const { endpoint, guard, path } = route;
  const { summary, description, params, query, body, fileTypes, answer } = endpoint;
  return {
    operationId: endpoint.name,
    tags: [path.split("/")[3] ?? "other"],
    summary,
    description: [description, guard.note].filter(Boolean).join("\n\n"),
    requestParams: { ...(params && { path: params }), ...(query && { query }) },
    ...(body && {
      requestBody: {
        required: !body.safeParse({}).success,
        content: { "application/json": { schema: body } },
      },
    }),
    ...(fileTypes !== undefined && { requestBody: describeFile(fileTypes) }),
    responses: {
      [answer.status]: {
        description: answer.description,
        content: Object.fromEntries(
          answer.contentTypes.map((type) => [
            type,
            { schema: toContentSchema(type, answer.schema) },
          ]),
        ),
      },
      ...describeFailures([
        ...endpoint.failures,
        ...(needsSpace(route) ? (["insufficient_storage"] as const) : []),
      ]),
    },
  };
}

function describeFile(types: readonly string[]) {
  const schema = { type: "string", format: "binary" } as const;
  return { required: true, content: Object.fromEntries(types.map((type) => [type, { schema }])) };
}

/** OpenAPI 3.1 has no schemas for streamed content, so it is described as text. */
function toContentSchema(contentType: string, schema: z.ZodType): z.ZodType {
  if (contentType === "application/json") return schema;
  const { id: name, "x-streamed": streamed } = z.globalRegistry.get(schema) ?? {};
  if (typeof streamed === "string") return z.string().meta({ description: streamed });
  return z.string().meta({
    description:
      contentType === "application/x-ndjson"
        ? `One JSON object per line, each a \`${name}\`.`
        : `Server-sent events; the last one contains the \`${name}\`.`,
  });
}

/** Codes that share a status are listed together. */
function describeFailures(codes: readonly ErrorCode[]): ZodOpenApiResponsesObject {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set([...commonFailures, ...codes])) {
    const { httpStatus } = errorTable[code];
    byStatus.set(httpStatus, [...(byStatus.get(httpStatus) ?? []), code]);
  }
  const responses: ZodOpenApiResponsesObject = {};
  for (const [status, sharing] of byStatus) {
    responses[`${status}` as `${1 | 2 | 3 | 4 | 5}${string}`] = {
      description: sharing.map((code) => `\`${code}\``).join(", "),
      content: { "application/json": { schema: failureSchema } },
    };
  }
  return responses;
}
