/**
 * The scenarios that the hub must pass. A test checks that every scenario of a release is in one of these
 * tables.
 */

/** Checks of a scenario that fail, or are not made, because of a feature that the hub does not have, each with the reason. */
type Exceptions = Record<string, string>;

const noPrompts = "the hub has no prompts";
const noResources = "the hub has no resources";
const noClientRequests =
  "in the session mode the hub asks for the confirmation of a call only, and no tool asks for more";
const noLogging = "the hub sends no log messages to clients";
const jsonOnly = "a result is JSON: one text and structuredContent";
const fixedTools = "the list of tools never changes while the hub runs";
const notListed: Exceptions = {
  "sep-2575-server-sends-prompts-list-changed-on-subscription": noPrompts,
  "sep-2575-server-sends-tools-list-changed-on-subscription": fixedTools,
};
const noSkills = "the hub does not support the skills extension";

/** Scenarios that need no fixture tools: they run against a real hub. */
export const onHub: Record<string, Exceptions> = {
  "server-initialize": {},
  "server-session-lifecycle": {},
  "server-stateless": {
    ...notListed,
    // These checks run with the fixture tools.
    "sep-2575-http-server-no-independent-requests-on-stream": "needs test_streaming_elicitation",
    "sep-2575-server-no-log-without-loglevel": "needs test_logging_tool",
    "sep-2575-server-rejects-undeclared-capability": "needs test_missing_capability",
    "sep-2575-missing-capability-http-400": "needs test_missing_capability",
  },
  ping: {},
  "tools-list": {},
  "server-sse-multiple-streams": {},
  "dns-rebinding-protection": {},
  caching: {
    "sep-2549-prompts-list-caching-hints": noPrompts,
    "sep-2549-resources-list-caching-hints": noResources,
    "sep-2549-resources-read-caching-hints": noResources,
    "sep-2549-resources-templates-list-caching-hints": noResources,
  },
  "http-header-validation": {},
};

/** Scenarios that call tools by name: they run against the same transport with fixture tools. */
export const onFixtures: Record<string, Exceptions> = {
  "tools-call-simple-text": {},
  "tools-call-error": {},
  "tools-call-with-progress": {},
  "json-schema-2020-12": {},
  "server-stateless": notListed,
  // The hub asks for forms and pages only. Its tools may ask for whatever a client declares.
  "input-required-result-basic-elicitation": {},
  "input-required-result-basic-list-roots": {},
  "input-required-result-basic-sampling": {},
  "input-required-result-capability-check": {},
  "input-required-result-ignore-extra-params": {},
  "input-required-result-missing-input-response": {},
  "input-required-result-multi-round": {},
  "input-required-result-multiple-input-requests": {},
  "input-required-result-request-state": {},
  "input-required-result-result-type": {},
  "input-required-result-tampered-state": {},
  "input-required-result-unsupported-methods": {},
  "input-required-result-validate-input": {},
  "tasks-capability-negotiation": {},
  "tasks-dispatch-and-envelope": {},
  "tasks-lifecycle": {},
  "tasks-mrtr-composition": {},
  "tasks-mrtr-input": {
    "tasks-mrtr-partial-fulfillment":
      "a call waits for one thing at a time: its account, and then its approval",
  },
  "tasks-request-headers": {
    // The check compares the text of a greeting, which is quoted here.
    "tasks-headers-tolerate-mcp-method-on-tools-call": jsonOnly,
  },
  "tasks-request-state-removal": {},
  "tasks-required-task-error": {},
  "tasks-wire-fields": {},
};

/** Scenarios for features that the hub does not have. */
export const notApplicable: Record<string, string> = {
  "completion-complete": "only prompts and resources have completion",
  "elicitation-sep1034-defaults": noClientRequests,
  "elicitation-sep1330-enums": noClientRequests,
  "http-custom-header-server-validation": "no tool uses a custom header (x-mcp-header)",
  "input-required-result-non-tool-request": noPrompts,
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
  "server-sse-polling": "streams cannot be resumed, because events have no ids",
  "tasks-status-notifications": "the suite does not check it yet: its scenario checks nothing",
  "tools-call-audio": jsonOnly,
  "tools-call-elicitation": noClientRequests,
  "tools-call-embedded-resource": jsonOnly,
  "tools-call-image": jsonOnly,
  "tools-call-mixed-content": jsonOnly,
  "tools-call-sampling": noClientRequests,
  "tools-call-with-logging": noLogging,
};
