import { defineConnector, wick } from "@hub/connector";
import { answerSchema } from "./answer.ts";
import { checkHealth } from "./check-http-health.ts";
import { configFields } from "./http-config-fields.ts";
import { sendRequest } from "./send-request.ts";

const addressInput = {
  path: wick(
    "required;embed=path;desc=Path below the row's base URL, such as /users/42. A single / is the base URL itself. Percent-encode values in the path.",
  ),
  query: wick.json(
    'embed=percent;desc=Query parameters as an object, such as {"state": "open", "label": ["a", "b"]}. An array repeats its parameter. Values are encoded for you.',
  ),
  headers: wick.json(
    'embed=percent;desc=Extra request headers as an object, such as {"Accept": "text/csv"}. Authentication is added by the row.',
  ),
};

const bodyInput = {
  ...addressInput,
  body: wick.json(
    "embed=form;desc=The body. An object or array is sent as JSON, text as it is. With the content_type application/x-www-form-urlencoded an object is sent as a form.",
  ),
  body_base64: wick(
    "desc=The body as bytes in base64, instead of body: a file or an archive. At most 10 MiB of bytes.",
  ),
  content_type: wick(
    "desc=Media type of the body. Without it: application/json for JSON, application/octet-stream for body_base64, otherwise text/plain.",
  ),
};

const result =
  'Returns status, useful headers and body: JSON is parsed, text is text, other content is only described. A status of 400 or above is an error with http_status and the server\'s own words in "upstream".';

/** Calls any REST API: one row is one base URL with its authentication. */
export const httpConnector = defineConnector({
  key: "http",
  name: "HTTP",
  icon: "world",
  tier: "builtin",
  description: "Calls a REST API: base URL, authentication, one operation per HTTP method.",
  config: configFields,
  operations: {
    get: {
      name: "GET",
      description: `Read from this REST API with GET.\nUse it to look things up, list and search. ${result} Request small pages; a "link" header or a member of the body shows how to get the next page.`,
      input: addressInput,
      output: answerSchema,
      examples: [
        { description: "One item", params: { path: "/users/42" } },
        {
          description: "A filtered list",
          params: { path: "/issues", query: { state: "open", per_page: 20 } },
        },
      ],
      run: (ctx) => sendRequest(ctx, "GET"),
    },
    head: {
      name: "HEAD",
      description:
        "Read only the headers from this REST API, with HEAD.\nUse it to check whether something exists, how large it is or when it changed. Returns status and all headers.",
      input: addressInput,
      output: answerSchema,
      examples: [{ params: { path: "/files/report.pdf" } }],
      run: (ctx) => sendRequest(ctx, "HEAD"),
    },
    post: {
      name: "POST",
      description: `Create something or run an action in this REST API with POST.\n${result} Repeating the call may create a second one.`,
      input: bodyInput,
      output: answerSchema,
      destructive: true,
      examples: [{ params: { path: "/issues", body: { title: "Login fails", labels: ["bug"] } } }],
      run: (ctx) => sendRequest(ctx, "POST"),
    },
    put: {
      name: "PUT",
      description: `Replace something in this REST API with PUT.\nSend the complete object: members missing from the body are usually reset. To change single members, use patch. ${result}`,
      input: bodyInput,
      output: answerSchema,
      destructive: true,
      examples: [{ params: { path: "/users/42", body: { name: "Ada", active: true } } }],
      run: (ctx) => sendRequest(ctx, "PUT"),
    },
    patch: {
      name: "PATCH",
      description: `Change part of something in this REST API with PATCH.\nSend only what changes. ${result}`,
      input: bodyInput,
      output: answerSchema,
      destructive: true,
      examples: [{ params: { path: "/issues/7", body: { state: "closed" } } }],
      run: (ctx) => sendRequest(ctx, "PATCH"),
    },
    delete: {
      name: "DELETE",
      description: `Delete something in this REST API with DELETE.\nRead it first to make sure that it is the right one. ${result}`,
      input: bodyInput,
      output: answerSchema,
      destructive: true,
      examples: [{ params: { path: "/issues/7/labels/bug" } }],
      run: (ctx) => sendRequest(ctx, "DELETE"),
    },
  },
  health: checkHealth,
});
