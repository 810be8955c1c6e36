import type { Answer } from "../api/call-api.ts";
import type { FormField } from "./field-form.ts";
import type { WidgetClick } from "./html/html-widget.tsx";

export type LookupItem = { id: string; name: string };
export type WidgetAnswer = Answer<"POST /manager/api/rows/{row}/fields/{field}/widget">;
export type SaveState = "saving" | "saved";

/** What a form can do besides holding texts. The settings of a row have all of it. */
export type FormHost = {
  /** Changes with every saved change. An html widget is rendered again. */
  version: number;
  /** Saves one field at once. Absent where nothing saves itself. */
  save?: (field: FormField, text: string) => void;
  /** The fields that saved themselves. */
  saves?: Readonly<Record<string, SaveState>>;
  regenerate?: (field: FormField) => void;
  lookUp?: (source: string, query: string) => Promise<LookupItem[]>;
  /** Renders an html widget that has this text as its value, or clicks in it. */
  widget?: (
    field: Pick<FormField, "key">,
    text: string,
    click?: WidgetClick,
  ) => Promise<WidgetAnswer>;
  /** A choice in an html widget is sent like any click, although nothing else saves itself. */
  sendsChoices?: boolean;
  /** Whether there are typed values that an html widget does not see yet. */
  hasUnsaved?: boolean;
};

/** The props of every widget of the form. */
export type WidgetProps = {
  field: FormField;
  id: string;
  label: string;
  text: string;
  error: string | null;
  host: FormHost;
  onChange: (text: string) => void;
};
