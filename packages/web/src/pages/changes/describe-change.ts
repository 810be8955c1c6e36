import type { ChangeEntry } from "@hub/contract/change.ts";
import { readRuleChange } from "./describe-rule-change.ts";

/** Every action of the record, in words that follow the actor. */
const actions: Record<string, string> = {
  "account.change": "changed an own account in",
  "account.connect": "connected an own account in",
  "account.remove": "removed an own account in",
  "application.allow": "allowed the application",
  "application.revoke": "disconnected the application",
  "call.approve": "approved a call of",
  "call.deny": "denied a call of",
  "call.name_deputy": "named a deputy for a call of",
  "chat_account.link": "linked the chat account",
  "chat_account.unlink": "unlinked the chat account",
  "connector.disable": "disabled the connector type",
  "connector.enable": "enabled the connector type",
  "keys.adopt": "adopted a key",
  "keys.remove": "removed a key",
  "keys.rotate": "rotated the keys",
  "operation.disable": "disabled an operation of",
  "operation.enable": "enabled an operation of",
  "permit.end": "ended the permission for an hour to call",
  "plugin.disable": "disabled the plugin",
  "plugin.enable": "enabled the plugin",
  "plugin.install": "installed the plugin",
  "plugin.remove": "uninstalled the plugin",
  "plugin.update": "updated the plugin",
  "row.approve": "approved operations of",
  "row.reads": "changed which operations only read, of",
  "row.connect": "connected the row",
  "row.create": "added the row",
  "row.delete": "deleted the row",
  "row.disable": "disabled the row",
  "row.discover": "discovered the operations of",
  "row.disconnect": "disconnected the row",
  "row.enable": "enabled the row",
  "row.update": "changed the row",
  "rule.delete": "removed a rule of",
  "rule.set": "set a rule of",
  "session.end": "signed out a browser of",
  "session.end_all": "signed out all browsers of",
  "setting.reset": "reset the setting",
  "setting.update": "changed the setting",
  "tag.create": "made the tag",
  "token.create": "made the token",
  "token.revoke": "revoked the token",
  "token.rotate": "rotated the token",
  "user.add_factor": "added a second factor to",
  "user.change_password": "chose a new password for",
  "user.create": "added the user",
  "user.disable": "disabled the user",
  "user.enable": "enabled the user",
  "user.link": "linked single sign-on to",
  "user.password": "made a one-time password for",
  "user.refuse_passkey": "used a passkey that may be a copy, as",
  "user.remove_factor": "removed a second factor of",
  "user.remove_factors": "removed all second factors of",
  "user.renew_recovery_codes": "made new recovery codes for",
  "user.unlink": "unlinked single sign-on from",
  "user.unlock": "unlocked the user",
  "user.update": "changed the user",
  "user.use_recovery_code": "used a recovery code of",
  "workflow.accept": "accepted the workflow",
  "workflow.approve": "approved a run of",
  "workflow.create": "made the workflow",
  "workflow.delete": "deleted the workflow",
  "workflow.deny": "denied a run of",
  "workflow.disable": "disabled the workflow",
  "workflow.drop_run": "dropped a scheduled run of",
  "workflow.enable": "enabled the workflow",
  "workflow.end_offer": "ended the offer of the workflow",
  "workflow.move_run": "moved a scheduled run of",
  "workflow.offer": "offered the workflow",
  "workflow.publish": "published the workflow",
  "workflow.remove_secret": "cleared a secret of",
  "workflow.restore": "restored a version of",
  "workflow.save": "saved the draft of",
  "workflow.set_secret": "set a secret of",
  "workflow.pin": "pinned an output of",
  "workflow.unpin": "removed a pinned output of",
  "workflow.update": "changed the workflow",
};

/** What is changed by actions that are named for a part of it. */
const wholes: Record<string, string> = {
  account: "row",
  operation: "row",
  permit: "call",
  rule: "row",
};

/** The names of the actions that change a kind of target; of all without one. */
export function listActions(kind: string | undefined): string[] {
  return Object.keys(actions).filter((name) => {
    const [noun = ""] = name.split(".");
    return kind === undefined || kind === noun || kind === wholes[noun];
  });
}

/** What was done, such as "changed the user". Unknown actions keep their name. */
export function describeAction(action: string): string {
  return actions[action] ?? action;
}

export type DetailLine = {
  name: string;
  before: string | null;
  after: string;
  /** The parts of `after`, if it lists some and there is nothing before. */
  listed?: readonly string[];
};

/**
 * The detail of a change as lines: what was before, where it is recorded, and what is after. What
 * neither was nor is there is left out.
 */
export function toDetailLines(detail: ChangeEntry["detail"]): DetailLine[] {
  const rule = readRuleChange(detail);
  if (rule !== null) return [{ ...rule, after: rule.after ?? nothing }];
  return Object.entries(detail)
    .map(([name, value]) => {
      if (isChange(value)) return { name, before: toText(value.from), after: toText(value.to) };
      const listed = Array.isArray(value) && value.length > 0 && { listed: value.map(toText) };
      return { name, before: null, after: toText(value), ...listed };
    })
    .filter(({ before, after }) => before !== null || after !== nothing);
}

const nothing = "nothing";

function isChange(value: unknown): value is { from: unknown; to: unknown } {
  return typeof value === "object" && value !== null && "from" in value && "to" in value;
}

function toText(value: unknown): string {
  if (value === null || value === "") return nothing;
  if (Array.isArray(value)) return value.length === 0 ? nothing : value.map(toText).join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}
