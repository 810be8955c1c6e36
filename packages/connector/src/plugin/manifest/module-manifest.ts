import type { FieldWidget } from "../../fields/field-spec.ts";

/**
 * What a plugin's program says of its connector, in the words of existing plugins. Members that are
 * optional here are this project's: other hosts ignore them, and existing plugins do not have them.
 */
export type ModuleManifest = {
  Meta: {
    Key: string;
    Name: string;
    Description: string;
    Icon: string;
    Fixed: boolean;
    DefaultTags: { Name: string }[];
  };
  Configs: ModuleField[];
  Operations: { Title: string; Description: string; Ops: ModuleOperation[] }[];
  OAuth: null;
  /** What the connector can do beside its operations. */
  Capabilities?: { Health: boolean; Lookup: boolean; Generate: boolean };
};

export type ModuleField = {
  Key: string;
  /** The default. */
  Value: string;
  Type: FieldWidget;
  /** By type: choices, columns, a picker's source or an html widget's operation. */
  Options: string;
  IsSecret: boolean;
  CanRegenerate: boolean;
  Locked: boolean;
  Required: boolean;
  Description: string;
  hidden: boolean;
  visible_when: string;
  group: string;
  mode: string;
  /** What its value has to match to be saved, with the words of a refusal. */
  pattern?: string;
  hint?: string;
  /** Of existing plugins alone: an object, never a text, which their hosts cannot read. */
  col_options?: Record<string, unknown>;
  /** The name its author wrote. */
  name?: string;
  /** The type of its value. */
  base?: string;
  /** How an encrypted value within its text is written when it is opened. */
  embed?: string;
};

export type ModuleOperation = {
  Key: string;
  Name: string;
  Description: string;
  Input: ModuleField[];
  Destructive: boolean;
  ConfigOnly: boolean;
  AdminOnly?: boolean;
  TimeoutMs?: number;
  OutputSchema?: unknown;
  Examples?: { params: Record<string, unknown>; description?: string }[];
};
