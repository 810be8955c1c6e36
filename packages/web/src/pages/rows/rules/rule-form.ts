import type { CallRule, CallRuleInput, RuleHour } from "@hub/contract/call-rule.ts";
import type { Choice } from "../access/people-field.tsx";

/** A rule as the dialog has it. `off` removes it. */
export type RuleForm = {
  asks: "off" | "always" | "destructive" | "never";
  /** As it was typed; empty for none. */
  free: string | number;
  except: Choice[];
  decidedBy: "caller" | "tags";
  tags: string[];
  confirm: "page" | "client";
  hour: boolean;
  /** Names of params, with commas in between. */
  fixed: string;
  hourDestructive: boolean;
  runsOnApproval: boolean;
  sentence: string;
};

/** The form of a stored rule, or of a new one. */
export function toRuleForm(rule: CallRule | null): RuleForm {
  if (rule === null) {
    return {
      asks: "off",
      free: "",
      except: [],
      decidedBy: "caller",
      tags: [],
      confirm: "page",
      hour: false,
      fixed: "",
      hourDestructive: false,
      runsOnApproval: false,
      sentence: "",
    };
  }
  const { decide, hour } = rule;
  return {
    asks: rule.asks,
    free: rule.free_per_hour ?? "",
    except: [
      ...rule.except_users.map(
        ({ id, email }): Choice => ({ kind: "person", id, name: email ?? "Deleted user" }),
      ),
      ...rule.except_tags.map((name): Choice => ({ kind: "tag", name })),
    ],
    decidedBy: decide.by,
    tags: decide.by === "tags" ? decide.tags : [],
    confirm: rule.confirm,
    hour: hour.allowed,
    fixed: hour.fixed.join(", "),
    hourDestructive: hour.destructive,
    runsOnApproval: rule.runs_on_approval,
    sentence: rule.sentence,
  };
}

/** The body of a change, as the API takes it. */
type RuleBody = Omit<CallRuleInput, "hour"> & { hour?: RuleHour };

/** What is sent to set the rule. Null removes it. */
export function toRuleInput(
  form: RuleForm,
  operation: string | null,
  before: CallRule | null,
): RuleBody | null {
  const { asks, except } = form;
  if (asks === "off") return null;
  const name = before === null ? {} : { name: before.name };
  if (asks === "never") return { ...name, operation, asks, sentence: form.sentence };
  const isForOthers = form.decidedBy === "tags";
  return {
    ...name,
    operation,
    asks,
    free_per_hour: form.free === "" ? null : Number(form.free),
    except_users: except.flatMap((one) => (one.kind === "person" ? [one.id] : [])),
    except_tags: except.flatMap((one) => (one.kind === "tag" ? [one.name] : [])),
    decide: isForOthers ? { by: "tags", tags: form.tags } : { by: "caller" },
    confirm: isForOthers ? "page" : form.confirm,
    hour: {
      allowed: form.hour,
      fixed: form.hour
        ? form.fixed
            .split(",")
            .map((one) => one.trim())
            .filter(Boolean)
        : [],
      destructive: form.hour && form.hourDestructive,
    },
    runs_on_approval: form.runsOnApproval,
    sentence: form.sentence,
  };
}
