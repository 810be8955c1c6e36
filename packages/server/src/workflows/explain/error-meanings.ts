import type { ErrorCode } from "../../errors.ts";
import type { TemplateErrorCode } from "../templates/template-error.ts";

export type ErrorMeaning = {
  meaning: string;
  /** What the owner of the workflow does next. */
  advice: string;
};

/** Failures of requests to the hub, which no step of a run has. */
const request: ErrorMeaning = {
  meaning: "A request to the hub was not valid.",
  advice: "Runs do not fail with this code. Ask an admin to look at the log of the hub.",
};

/** code → what a failure of a step or a run with it means, and what to do. */
export const errorMeanings: Readonly<Record<ErrorCode | TemplateErrorCode, ErrorMeaning>> = {
  template_invalid: {
    meaning: "A template of the step cannot be read.",
    advice: "Correct the template at the place that the message names, and publish again.",
  },
  template_failed: {
    meaning: "A template met a value that does not fit its use.",
    advice:
      "Compare the event and the outputs with the template. Use default or if where a value can be absent.",
  },
  template_limit: {
    meaning: "A template took too many steps to render, or its output is too large.",
    advice: "Render less, for example a part of the list.",
  },
  secret_transformed: {
    meaning: "A template would change or read a secret.",
    advice: "Print the secret unchanged, or use basicAuth.",
  },
  secret_missing: {
    meaning: "A secret that the step needs is not set.",
    advice: "Set the secret of the workflow, then replay the run.",
  },
  not_found: {
    meaning: "The operation, workflow or channel does not exist, or the owner may not use it.",
    advice:
      "Choose another one, or ask an admin whether the row or the tags of the owner have changed.",
  },
  operation_disabled: {
    meaning: "An admin has disabled the operation.",
    advice: "Ask an admin to enable it, then replay the run.",
  },
  destructive_operation: {
    meaning: "A step that may only read called an operation that may change something.",
    advice: "Call the operation with run_script or a node of its own, then publish again.",
  },
  approval_required: {
    meaning: "A rule of the hub asks a person about the call, and it is not approved yet.",
    advice: "Approve the call on its page, then replay the run.",
  },
  input_required: {
    meaning: "The outside system asks a person before it answers, and a run has no client to ask.",
    advice:
      "Call the operation from a client that shows forms, or send what it asks for in the params.",
  },
  needs_account: {
    meaning:
      "The row uses an account of each user, and the owner has not connected one that works.",
    advice: "Connect the account in the profile of the owner, then replay the run.",
  },
  operation_changed: {
    meaning:
      "The outside system offers the owner's account another operation than the one that was approved.",
    advice:
      "Ask an admin to look at the operation of the row, or connect an account with other rights.",
  },
  still_running: {
    meaning: "An equal call of the same step has not ended yet.",
    advice: "Wait until it has ended, then look at its record.",
  },
  refused_by_rule: {
    meaning: "A rule of the hub or a person refused the call.",
    advice: "Ask the person who decides on such calls, or change the call.",
  },
  nested_script: {
    meaning: "A script called an operation that runs a script.",
    advice: "Do all of it in one script, or in a node for each script, then publish again.",
  },
  connector_disabled: {
    meaning: "An admin has disabled the row or its connector.",
    advice: "Ask an admin to enable it, then replay the run.",
  },
  needs_setup: {
    meaning: "Required fields of the row are not set.",
    advice: "Ask an admin to set the row up, then replay the run.",
  },
  invalid_params: {
    meaning: "An input of the step is not valid.",
    advice: "Look at the rendered inputs, and correct the template that made the wrong one.",
  },
  token_invalid: {
    meaning: "An encrypted value cannot be opened by the owner, or in this row.",
    advice: "Get the value again, as the owner of the workflow.",
  },
  rate_limited: {
    meaning: "A limit of calls was reached, and it did not end in time.",
    advice: "Start fewer runs at once, or ask an admin to raise the limit.",
  },
  timeout: {
    meaning: "The step did not end within its time limit.",
    advice:
      "Raise timeout_s or do less in one step. If the call has effects, look at the other system first: they may have happened.",
  },
  cancelled: {
    meaning: "A person or another run cancelled it.",
    advice: "Replay the run if it is still needed.",
  },
  upstream_error: {
    meaning: "The outside system refused the call, or failed.",
    advice:
      "Read the message of the outside system. Correct the request, or add retry if the failure passes by itself.",
  },
  plugin_unavailable: {
    meaning: "The plugin of the connector does not run.",
    advice: "Ask an admin to look at the plugin.",
  },
  unavailable: {
    meaning: "The database or another part of the hub was away.",
    advice: "Replay the run. Ask an admin if it happens again.",
  },
  insufficient_storage: {
    meaning: "The disk of the hub is almost full, and it took no new work for a long time.",
    advice: "Ask an admin to free space on the disk of the hub, then replay the run.",
  },
  internal: {
    meaning: "A fault of the hub.",
    advice: "Ask an admin to look at the log.",
  },
  run_failed: {
    meaning:
      "A fail node or the decision of a person ended the run, or an item, another run or the size of the outputs failed it.",
    advice: "Read the message: it has the cause.",
  },
  bad_request: {
    meaning: "A value that may not leave the workflow was sent to another workflow.",
    advice: "Send only the other data. Encrypted values belong to one user.",
  },
  forbidden: {
    meaning: "The owner may not do this.",
    advice: "Read the message: the owner is not active, or only admins may have such a step.",
  },
  conflict: {
    meaning: "The body cannot run as it is, or no longer fits what was decided.",
    advice: "Read the message. Open the draft, correct it and publish it again.",
  },
  code_failed: {
    meaning: "The JavaScript of the step threw an error, or what it returned cannot be used.",
    advice:
      "Read the message, which has the line. Run the node alone with the outputs of this run to correct it.",
  },
  parse_error: request,
  invalid_request: request,
  method_not_found: request,
  malformed_params: request,
  unknown_tool: request,
  malformed_meta: request,
  header_mismatch: request,
  version_unsupported: request,
  capability_missing: request,
  url_elicitation_required: request,
  unauthorized: request,
  insufficient_scope: request,
  fresh_sign_in_required: request,
  session_unknown: request,
  method_not_allowed: request,
  body_too_slow: request,
  body_too_large: request,
  unsupported_media_type: request,
  plugin_refused: request,
  bad_configuration: request,
};

const unknownMeaning: ErrorMeaning = {
  meaning: "A failure that this version of the hub does not know.",
  advice: "Read the message.",
};

/** What a failure means. The status of the outside system says more than the code. */
export function findMeaning(code: string, httpStatus: number | null): ErrorMeaning {
  if (code === "upstream_error" && httpStatus !== null) {
    return findStatusMeaning(httpStatus) ?? errorMeanings.upstream_error;
  }
  return isKnown(code) ? errorMeanings[code] : unknownMeaning;
}

function isKnown(code: string): code is keyof typeof errorMeanings {
  return Object.hasOwn(errorMeanings, code);
}

function findStatusMeaning(status: number): ErrorMeaning | null {
  if (status === 401) {
    return {
      meaning: "The outside system does not accept the credentials of the row.",
      advice:
        "Ask an admin to check the credentials of the row: they may have expired or been replaced.",
    };
  }
  if (status === 403) {
    return {
      meaning: "The outside system knows the credentials, and does not allow them to do this.",
      advice: "Give the account of the row the right in the outside system, or use another row.",
    };
  }
  if (status === 404 || status === 410) {
    return {
      meaning: "The outside system has nothing at this address.",
      advice: "Compare the rendered inputs with what exists there.",
    };
  }
  if (status === 408 || status === 429) {
    return {
      meaning: "The outside system had too many requests, or answered too slowly.",
      advice: "Add retry with a longer pause, or call it less often.",
    };
  }
  if (status >= 500) {
    return {
      meaning: "The outside system failed by itself.",
      advice: "Add retry, or wait until it works again and replay the run.",
    };
  }
  if (status < 400) return null;
  return {
    meaning: "The outside system refused the request.",
    advice: "Compare the rendered inputs with what it expects, and read its message.",
  };
}
