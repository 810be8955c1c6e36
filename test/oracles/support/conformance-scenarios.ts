/**
 * What of the suites the hub has to pass. Every scenario that a release lists is in one of these
 * tables: a test holds it, so that none is dropped in silence.
 */

/** Checks of a scenario that ask for something the hub does not offer, each with the reason. */
type Exceptions = Record<string, string>;

const noPrompts = "the hub has no prompts";
const noResources = "the hub has no resources";
const asksNothing = "the hub asks its clients nothing: no sampling, no elicitation, no roots";
const noLogging = "the hub sends clients no log";
const jsonOnly = "an operation's result is JSON: one text and structuredContent";
const noTasks = "the tasks extension is not offered";
const noSkills = "the skills extension is not offered";

/** Scenarios that need no fixture tools: they run against a real hub. */
export const onHub: Record<string, Exceptions> = {
  "server-initialize": {},
  "server-session-lifecycle": {},
  "server-stateless": {
    // These two run over the fixture tools.
    "sep-2575-http-server-no-independent-requests-on-stream": "needs test_streaming_elicitation",
    "sep-2575-server-no-log-without-loglevel": "needs test_logging_tool",
    "sep-2575-server-rejects-undeclared-capability": asksNothing,
    "sep-2575-missing-capability-http-400": asksNothing,
  },
  ping: {},
  "tools-list": {},
  "server-sse-multiple-streams": {},
  "dns-rebinding-protection": {},
  caching: {
    "sep-2549-prompts-list-caching-hints": noPrompts,
    "sep-2549-resources-list-caching-hints": noResources,
    "sep-2549-resources-templates-list-caching-hints": noResources,
  },
  "http-header-validation": {},
};

/** Scenarios that call tools by name: they run against the same transport over fixture tools. */
export const onFixtures: Record<string, Exceptions> = {
  "tools-call-simple-text": {},
  "tools-call-error": {},
  "tools-call-with-progress": {},
  "json-schema-2020-12": {},
  "server-stateless": {
    "sep-2575-server-rejects-undeclared-capability": asksNothing,
    "sep-2575-missing-capability-http-400": asksNothing,
  },
};

/** Scenarios that test what the hub does not offer. */
export const notApplicable: Record<string, string> = {
  "completion-complete": "there is nothing to complete: prompts and resources have it",
  "elicitation-sep1034-defaults": asksNothing,
  "elicitation-sep1330-enums": asksNothing,
  "http-custom-header-server-validation": "no tool asks for a header of its own (x-mcp-header)",
  "input-required-result-basic-elicitation": asksNothing,
  "input-required-result-basic-list-roots": asksNothing,
  "input-required-result-basic-sampling": asksNothing,
  "input-required-result-capability-check": asksNothing,
  "input-required-result-ignore-extra-params": asksNothing,
  "input-required-result-missing-input-response": asksNothing,
  "input-required-result-multi-round": asksNothing,
  "input-required-result-multiple-input-requests": asksNothing,
  "input-required-result-non-tool-request": asksNothing,
  "input-required-result-request-state": asksNothing,
  "input-required-result-result-type": asksNothing,
  "input-required-result-tampered-state": asksNothing,
  "input-required-result-unsupported-methods": asksNothing,
  "input-required-result-validate-input": asksNothing,
  "logging-set-level": noLogging,
  "prompts-get-embedded-resource": noPrompts,
  "prompts-get-simple": noPrompts,
  "prompts-get-with-args": noPrompts,
  "prompts-get-with-image": noPrompts,
  "prompts-list": noPrompts,
  "resources-list": noResources,
  "resources-read-binary": noResources,
  "resources-read-text": noResources,
  "resources-subscribe": noResources,
  "resources-templates-read": noResources,
  "resources-unsubscribe": noResources,
  "sep-2164-resource-not-found": noResources,
  "sep-2640-skills-directory": noSkills,
  "sep-2640-skills-enumeration": noSkills,
  "sep-2640-skills-manifest": noSkills,
  "server-sse-polling": "streams cannot be taken up again: events have no ids",
  "tasks-capability-negotiation": noTasks,
  "tasks-dispatch-and-envelope": noTasks,
  "tasks-lifecycle": noTasks,
  "tasks-mrtr-composition": noTasks,
  "tasks-mrtr-input": noTasks,
  "tasks-request-headers": noTasks,
  "tasks-request-state-removal": noTasks,
  "tasks-required-task-error": noTasks,
  "tasks-status-notifications": noTasks,
  "tasks-wire-fields": noTasks,
  "tools-call-audio": jsonOnly,
  "tools-call-elicitation": asksNothing,
  "tools-call-embedded-resource": jsonOnly,
  "tools-call-image": jsonOnly,
  "tools-call-mixed-content": jsonOnly,
  "tools-call-sampling": asksNothing,
  "tools-call-with-logging": noLogging,
};
