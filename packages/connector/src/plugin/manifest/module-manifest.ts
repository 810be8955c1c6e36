import type { FieldWidget } from "../../fields/field-spec.ts";

/**
 * The description that a plugin's program gives of its connector, in the format of existing
 * plugins. The optional members are extensions of this project: other hosts ignore them, and
 * existing plugins do not have them.
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
  /** The functions of the connector in addition to its operations. */
  Capabilities?: { Health: boolean; Lookup: boolean; Generate: boolean };
};

export type ModuleField = {
  Key: string;
  /** The default. */
  Value: string;
  Type: FieldWidget;
  /** By type: options, columns, a picker's source or an html widget's operation. */
  Options: string;
  IsSecret: boolean;
  CanRegenerate: boolean;
  Locked: boolean;
  Required: boolean;
  Description: string;
  hidden: boolean;
  /** Whether each user may have an own value. */
  personal?: boolean;
  visible_when: string;
  group: string;
  mode: string;
  /** The pattern that a saved text must match, and the message for a text that does not. */
  pattern?: string;
  hint?: string;
  /** In existing plugins only: an object, never a text, which their hosts cannot read. */
  col_options?: Record<string, unknown>;
  /** The field's name in the connector's source. */
  name?: string;
  /** The type of the field's value. */
  base?: string;
  /** How an opened value is written into a text of the field. */
  embed?: string;
};

export type ModuleOperation = {
  Key: string;
  Name: string;
  Description: string;
  Input: ModuleField[];
  Destructive: boolean;
  Reads?: boolean;
  /** Whether a repetition with the same key has no further effect. */
  Idempotent?: boolean;
  ConfigOnly: boolean;
  AdminOnly?: boolean;
  TimeoutMs?: number;
  OutputSchema?: unknown;
  Examples?: { params: Record<string, unknown>; description?: string }[];
};
