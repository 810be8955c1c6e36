import type { NodeOf } from "@hub/contract/workflow-node.ts";
import { findHeaderProblem } from "../../../connectors/builtin/http/request-headers.ts";
import { parseTemplate } from "../../templates/parse/parser.ts";
import { TemplateError } from "../../templates/template-error.ts";
import {
  answerHeaderCharsMax,
  isAnswerHeader,
  isHeaderName,
  isHeaderValue,
  listNamedHosts,
  readRedirect,
} from "../../webhooks/answer/answer-headers.ts";
import { type Path, type ProblemList, quote } from "../problem-list.ts";

/** Checks the headers of an answer: those that the node would refuse whatever its templates render. */
export function checkAnswer(
  problems: ProblemList,
  path: Path,
  node: NodeOf<"webhook_respond">,
): void {
  const at = [...path, "respond_headers"];
  const entries = Object.entries(node.respond_headers);
  checkTwins(problems, at, entries);
  for (const [name, template] of entries)
    checkAnswerHeader(problems, [...at, name], name, template);
}

/** The same of the request of an `http` node. */
export function checkRequestHeaders(problems: ProblemList, path: Path, node: NodeOf<"http">): void {
  const at = [...path, "headers"];
  const entries = Object.entries(node.headers);
  checkTwins(problems, at, entries);
  for (const [name, template] of entries) {
    if (findHeaderProblem(name, "") !== null) refuseName(problems, [...at, name], name);
    else if (findHeaderProblem(name, readFixedText(template)) !== null) {
      refuseValue(problems, [...at, name], name, "It has control characters, or characters");
    }
  }
}

function checkAnswerHeader(
  problems: ProblemList,
  path: Path,
  name: string,
  template: string,
): void {
  const isLiteral = !template.includes("{{");
  if (!isHeaderName(name)) {
    refuseName(problems, path, name);
  } else if (!isAnswerHeader(name)) {
    const hint = "Remove it, or choose a name of your own that begins with X-.";
    problems.error(path, `A workflow cannot set the header ${quote(name)}.`, hint);
  } else if (!isHeaderValue(readFixedText(template))) {
    const fault = `It has control characters, more than ${answerHeaderCharsMax} characters, or characters`;
    refuseValue(problems, path, name, fault);
  } else if (name.toLowerCase() === "location") {
    const hint = "Begin with it, as in https://example.com/orders/{{.Event.Payload.body.id}}.";
    if (listNamedHosts(template).length === 0) {
      problems.error(path, "The header Location does not name a host.", hint);
    } else if (isLiteral && readRedirect(template, template) === null) {
      problems.error(path, "The header Location is not a complete address.", hint);
    }
  }
}

/** The text that a template prints in every run: what stands outside its actions. */
function readFixedText(template: string): string {
  if (!template.includes("{{")) return template;
  try {
    const { nodes } = parseTemplate(template);
    return nodes.map((node) => (node.kind === "text" ? node.text : "")).join("");
  } catch (thrown) {
    // The check of the templates says what is wrong.
    if (thrown instanceof TemplateError) return "";
    throw thrown;
  }
}

/** Of two names that differ in their case only, the first is never sent. */
function checkTwins(
  problems: ProblemList,
  path: Path,
  entries: readonly (readonly [string, string])[],
): void {
  const known = new Set<string>();
  for (const [name] of entries.toReversed()) {
    const lower = name.toLowerCase();
    if (known.has(lower)) {
      const message = `The header ${quote(name)} is never sent, because a later one has the same name.`;
      problems.error([...path, name], message, "Remove one of them. Names have no case.");
    }
    known.add(lower);
  }
}

function refuseName(problems: ProblemList, path: Path, name: string): void {
  const message = `${quote(name)} is not the name of a header.`;
  problems.error(path, message, "Use letters, digits and hyphens, at most 128 characters.");
}

function refuseValue(problems: ProblemList, path: Path, name: string, fault: string): void {
  const message = `The value of the header ${quote(name)} can never be sent.`;
  problems.error(path, message, `${fault} beyond Latin-1. Remove or encode them.`);
}
