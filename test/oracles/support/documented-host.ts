import { isJsonObject, type Json } from "@hub/connector";
import type { AnswerRequest } from "../../support/recording-host.ts";
import type { Description, DocumentedAnswer } from "./github-description.ts";

export const documentedDiff = [
  "diff --git a/notes/hello.rb b/notes/hello.rb",
  "index 3d21ec5..95b966a 100644",
  "--- a/notes/hello.rb",
  "+++ b/notes/hello.rb",
  "@@ -1,2 +1,2 @@",
  '-puts "Hello"',
  '+puts "Grüße, Welt 🌍"',
  " exit",
  "",
].join("\n");

/** Answers each request as in GitHub's documentation, and unknown requests with 404. */
export function createDocumentedAnswers(description: Description): AnswerRequest {
  return ({ method, target, headers }) => {
    const [path = ""] = target.split("?");
    const request = description.findRequest(method, path);
    if (request === null) return { status: 404, body: { message: "Not Found" } };
    if (headers.accept?.includes("diff")) {
      return { headers: { "content-type": headers.accept }, body: documentedDiff };
    }
    return findDocumented(description, request);
  };
}

/** The content of the documented file, whose encoded text in the documentation is damaged. */
export const documentedText = "# Grüße 🌍\n\nHello.\n";

/** The documented answer to a request. */
export function findDocumented(description: Description, request: string): DocumentedAnswer {
  const answer = description.findAnswer(request);
  if (!isJsonObject(answer.body) || answer.body.encoding !== "base64") return answer;
  const content = Buffer.from(documentedText).toString("base64");
  return { ...answer, body: { ...answer.body, content } };
}

/** All scalar values of an answer. */
export function listLeaves(node: Json): Json[] {
  if (typeof node !== "object" || node === null) return [node];
  return Object.values(node).flatMap(listLeaves);
}
