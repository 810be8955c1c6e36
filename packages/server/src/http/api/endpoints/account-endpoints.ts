import {
  accountEndingSchema,
  accountRowSchema,
  accountSchema,
  begunSignInSchema,
} from "@hub/contract/account.ts";
import { z } from "zod";
import { HubError } from "../../../errors.ts";
import { listAccounts as list } from "../../../services/accounts/list-accounts.ts";
import * as accounts from "../../../services/accounts/manage-accounts.ts";
import { beginAccountSignIn as begin } from "../../../services/accounts/sign-in/begin-account-sign-in.ts";
import { defineEndpoint } from "../endpoint.ts";

const byAccount = z.object({
  account: z.uuid().meta({ description: "Id of an account of yours." }),
});
const label = z.string().meta({
  description: "Unique among your accounts in the row, at most 60 characters.",
});
const values = z.record(z.string(), z.unknown()).meta({
  description: "By the key of a personal field of the row.",
});
const hosts = z.array(z.string()).meta({
  description:
    "The row's hosts as they were shown to you. If the row now leads elsewhere, nothing is stored.",
});

export const listAccounts = defineEndpoint({
  name: "listAccounts",
  summary: "List your accounts in rows",
  description: "Without their secrets. Other users, admins included, cannot list or use them.",
  query: z.strictObject({
    q: z.string().max(100).optional().meta({
      description:
        "Words in the label or the connector of a row, ignoring case. Rows with accounts of yours are listed in any case.",
    }),
    row: z.string().max(100).optional().meta({
      description: "Id of a row that is listed in any case, if you may have accounts in it.",
    }),
  }),
  answer: z.object({
    accounts: z.array(accountSchema),
    rows: z.array(accountRowSchema).meta({
      description:
        "The rows that you see in which you may have accounts: first `row` and those with accounts of yours, then at most 50 others. Both by label.",
    }),
    rows_total: z.int().meta({
      description: "How many rows there are in which you may have accounts.",
    }),
    endings: z.array(accountEndingSchema).meta({
      description: "Removed accounts that are still to be ended where you signed in.",
    }),
  }),
  handle: ({ services, caller, query }) => list(services, caller, query),
});

export const addAccount = defineEndpoint({
  name: "addAccount",
  summary: "Connect an account of yours in a row",
  status: 201,
  body: z.strictObject({
    row: z.uuid(),
    label: label.optional().meta({ description: "The default is `default`." }),
    values,
    hosts,
  }),
  answer: accountSchema,
  failures: ["not_found", "conflict"],
  handle: ({ services, caller, actor, body }) =>
    accounts.addAccount(services, { caller, actor }, body),
});

export const beginAccountSignIn = defineEndpoint({
  name: "beginAccountSignIn",
  summary: "Begin to connect an account of yours by a sign-in elsewhere",
  description:
    "For rows with `auth_mode` `oauth`. An account with this label is connected again. The sign-in at `authorize_url` must be finished in the same browser session.",
  body: z.strictObject({
    row: z.uuid(),
    label: label.optional().meta({ description: "The default is `default`." }),
    hosts,
  }),
  answer: begunSignInSchema,
  failures: ["not_found", "conflict", "bad_request", "upstream_error"],
  handle({ services, caller, sessionId, baseUrl, signal, body }) {
    if (sessionId === null)
      throw new HubError("forbidden", "Only a browser can connect an account.");
    return begin(services, { caller, sessionId, baseUrl, signal }, body);
  },
});

export const changeAccount = defineEndpoint({
  name: "changeAccount",
  summary: "Rename an account of yours, or connect it again",
  params: byAccount,
  body: z.strictObject({
    label: label.optional(),
    values: values.optional().meta({ description: "Replaces all values. Needs `hosts`." }),
    hosts: hosts.optional(),
  }),
  answer: accountSchema,
  failures: ["not_found", "conflict"],
  handle: ({ services, caller, actor, params, body }) =>
    accounts.changeAccount(services, { caller, actor }, params.account, body),
});

export const removeAccount = defineEndpoint({
  name: "removeAccount",
  summary: "Remove an account of yours",
  description:
    "Calls of the row then ask for another one: the row's shared access is for users who never connected an own account.",
  params: byAccount,
  answer: z.object({ id: z.uuid() }),
  failures: ["not_found"],
  handle: ({ services, caller, actor, params }) =>
    accounts.removeAccount(services, { caller, actor }, params.account),
});
