/**
 * The routes and shapes of the management API, written by scripts/write-api-types.ts from the OpenAPI
 * document.
 */

export type Shapes = {
  WorkflowDecision: {
    node_id: string;
    /** The index in `for_each`. */
    item?: number;
    /** `repeat` runs the step again, with the same idempotency key. `succeeded` goes on with `output`. `failed` goes on by the `on_error` of the node. */
    decision: "repeat" | "succeeded" | "failed";
    /** With `succeeded`: the output of the step, at most 1 MiB. The default is null. */
    output?: unknown;
  };
  Connector: {
    key: string;
    name: string;
    /** Name of an icon, chosen by the connector's author. */
    icon: string;
    description: string;
    tier: "builtin" | "plugin";
    /** While true, none of its rows and operations can be called. */
    disabled_type: boolean;
    /** The number of its rows. */
    rows: number;
    /** The number of its operations. */
    operation_count: number;
    /** Whether each row brings its own operations, which the hub discovers. Then `operation_count` is 0. */
    operations_by_row: boolean;
    /** Set if the hub makes the rows: from what, and what to change instead of the rows. They are neither added nor changed by hand, but can be disabled. Each brings its own operations. */
    made_from: string | null;
  };
  Problem: {
    error: string;
    code: string;
    issues?: Array<{
      path: string;
      message: string;
    }>;
    /** How many faults there are beside these issues. */
    issues_left_out?: number;
  };
  ConnectorDetail: {
    key: string;
    name: string;
    /** Name of an icon, chosen by the connector's author. */
    icon: string;
    description: string;
    tier: "builtin" | "plugin";
    /** While true, none of its rows and operations can be called. */
    disabled_type: boolean;
    /** The number of its rows. */
    rows: number;
    /** The number of its operations. */
    operation_count: number;
    /** Whether each row brings its own operations, which the hub discovers. Then `operation_count` is 0. */
    operations_by_row: boolean;
    /** Set if the hub makes the rows: from what, and what to change instead of the rows. They are neither added nor changed by hand, but can be disabled. Each brings its own operations. */
    made_from: string | null;
    fields: Array<Shapes["ConnectorField"]>;
    operations: Array<Shapes["ConnectorOperation"]>;
  };
  ConnectorField: {
    key: string;
    /** The widget on the settings page, such as `text`, `dropdown` or `secret`. */
    widget: string;
    /** The type of the value. A `number` widget has an `integer` or a `float`. */
    base: "text" | "integer" | "float" | "boolean" | "json";
    required: boolean;
    secret: boolean;
    default: string | null;
    /** The options of a `dropdown`. */
    options: Array<string>;
    /** Columns of a `kvlist` or `picker`, whose value is a JSON array of objects. */
    columns: Array<string>;
    /** The field is used, and can be required, only while another field has one of these values. */
    visible_when: {
      field: string;
      values: Array<string>;
    } | null;
    description: string;
  };
  ConnectorOperation: {
    key: string;
    name: string;
    description: string;
    destructive: boolean;
    /** Only the test action can run it, never MCP. */
    test_only: boolean;
  };
  Row: {
    id: string;
    connector: string;
    label: string;
    /** The name of a channel in addresses and triggers. Absent in other rows. */
    slug?: string;
    description: string;
    /** Only admins see a row without tags; with `everyone`, every user sees it. */
    tags: Array<string>;
    /** Who may run its operations as a test and use its html widgets: only admins, or with `tag` also the users who share a tag with it. Maintenance operations stay with admins. */
    tests: "admins" | "tag";
    disabled: boolean;
    /** Whether the connector type is disabled. */
    disabled_type: boolean;
    /** Keys of required fields without a value; null if the connector is not installed. */
    missing: Array<string> | null;
    /** Increases with every change. Send it with a change, so that the change cannot overwrite another one. */
    version: number;
    created_at: string;
    updated_at: string;
  };
  RowDetail: {
    id: string;
    connector: string;
    label: string;
    /** The name of a channel in addresses and triggers. Absent in other rows. */
    slug?: string;
    description: string;
    /** Only admins see a row without tags; with `everyone`, every user sees it. */
    tags: Array<string>;
    /** Who may run its operations as a test and use its html widgets: only admins, or with `tag` also the users who share a tag with it. Maintenance operations stay with admins. */
    tests: "admins" | "tag";
    disabled: boolean;
    /** Whether the connector type is disabled. */
    disabled_type: boolean;
    /** Keys of required fields without a value; null if the connector is not installed. */
    missing: Array<string> | null;
    /** Increases with every change. Send it with a change, so that the change cannot overwrite another one. */
    version: number;
    created_at: string;
    updated_at: string;
    values: Array<Shapes["RowValue"]>;
    operations: Array<Shapes["RowOperation"]>;
    /** In the answer to a change: keys of secret fields whose new values can be guessed. See the reference of tokens. Absent if there are none. */
    weak?: Array<string>;
  };
  RowValue: {
    key: string;
    /** The stored value or the default; null if there is neither, and always for a secret. */
    value: string | null;
    /** Whether a value is stored. */
    is_set: boolean;
    secret: boolean;
    required: boolean;
    description: string;
  };
  RowOperation: {
    key: string;
    /** The id for `hub_get` and `hub_execute`. */
    tool_id: string;
    name: string;
    enabled: boolean;
    /** Of an operation that the row's outside system offers: what an admin has not reviewed yet. Then it cannot be called. Absent for operations of the connector. */
    review?: "new" | "changed" | "invalid" | "gone" | null;
    destructive: boolean;
    /** Of an operation that the row's outside system offers: whether an admin has marked it as one that only reads. Then it is not destructive. The mark is lost when the operation changes. */
    reads?: boolean;
    /** Only the test action can run it, never MCP. */
    test_only: boolean;
  };
  ImportPlan: {
    /** Whether rows may start programs on the hub's machine (`HUB_BRIDGE_STDIO`). */
    may_start_programs: boolean;
    servers: Array<Shapes["PlannedServer"]>;
  };
  PlannedServer: {
    /** Its place in the file. */
    index: number;
    /** The label of its row. */
    label: string;
    /** The folder for which the client keeps it. Null if it is for all folders. */
    folder: string | null;
    transport: "http" | "sse" | "stdio" | null;
    /** Where it connects, or the command that it starts, without secrets. */
    target: string | null;
    starts_program: boolean;
    /** The names of the values that become secrets. */
    secrets: Array<string>;
    /** The values that the client fills in and the file does not have. */
    missing: Array<string>;
    /** Why it cannot become a row. Null if it can. */
    problem: string | null;
  };
  ImportReport: {
    added: Array<{
      index: number;
      id: string;
      label: string;
      /** Required fields without a value. */
      missing: Array<string>;
    }>;
    failed: Array<{
      index: number;
      label: string;
      reason: string;
    }>;
  };
  RowView: {
    id: string;
    connector: string;
    label: string;
    /** The name of a channel in addresses and triggers. Absent in other rows. */
    slug?: string;
    description: string;
    /** Only admins see a row without tags; with `everyone`, every user sees it. */
    tags: Array<string>;
    /** Who may run its operations as a test and use its html widgets: only admins, or with `tag` also the users who share a tag with it. Maintenance operations stay with admins. */
    tests: "admins" | "tag";
    disabled: boolean;
    /** Whether the connector type is disabled. */
    disabled_type: boolean;
    /** Keys of required fields without a value; null if the connector is not installed. */
    missing: Array<string> | null;
    /** Increases with every change. Send it with a change, so that the change cannot overwrite another one. */
    version: number;
    created_at: string;
    updated_at: string;
    operations: Array<Shapes["RowOperation"]>;
    operation_counts: {
      total: number;
      /** Those that are not disabled and were reviewed. */
      enabled: number;
      /** Those that wait for a review. */
      waiting: number;
    };
    /** The html widgets of its settings that the caller may use: none for users whom `tests` does not let test. */
    widgets: Array<Shapes["RowWidget"]>;
  };
  RowWidget: {
    /** Key of its field. */
    key: string;
    name: string;
    description: string;
    /** Whether it is only shown, without clicks. */
    locked: boolean;
  };
  Channel: {
    /** Id of the row. */
    id: string;
    /** The name in addresses and triggers. */
    slug: string;
    connector: string;
    label: string;
    /** `failed`: the platform refuses it; tried again every 15 minutes and when the row changes. `connecting`: tried again by itself. `stopped`: no server holds it now. */
    state: "connected" | "connecting" | "failed" | "stopped" | "disabled" | "needs_setup";
    /** Why it is not connected, if that is known. Only admins see it. */
    reason: string | null;
    /** When the connection last changed. */
    changed_at: string | null;
    /** The bot's account. Null before the first connection. */
    account: {
      team_name: string | null;
      user_id: string;
      user_name: string | null;
    } | null;
    /** The events that triggers can name. */
    events: Array<{
      id: string;
      name: string;
      description: string;
      /** The filters of a trigger as the cards of a form. */
      match: Array<{
        title: string;
        description: string;
        collapsed: boolean;
        fields: Array<Shapes["RowSetting"]>;
      }>;
    }>;
  };
  RowSetting: {
    key: string;
    name: string;
    widget: string;
    /** The type of the value. A `number` widget has an `integer` or a `float`. */
    base: "text" | "integer" | "float" | "boolean" | "json";
    /** The stored text or the default; null for a secret, because secrets never leave the server. */
    value: string | null;
    /** Whether a value is stored. */
    is_set: boolean;
    description: string;
    /** The options of a `dropdown`. */
    options: Array<string>;
    /** Columns of a `kvlist` or `picker`, whose value is a JSON array of objects. */
    columns: Array<string>;
    /** The source of a `picker`; null for other widgets. */
    source: string | null;
    /** The operation that an `html` widget shows; null for other widgets. */
    html_op: string | null;
    required: boolean;
    secret: boolean;
    locked: boolean;
    /** Whether a new value can be generated. */
    regen: boolean;
    /** Disables the workflow editor's switch between a fixed value and an expression. */
    mode: "fixed" | "expression" | null;
    visible_when: {
      field: string;
      values: Array<string>;
    } | null;
  };
  ChannelDetail: {
    /** Id of the row. */
    id: string;
    /** The name in addresses and triggers. */
    slug: string;
    connector: string;
    label: string;
    /** `failed`: the platform refuses it; tried again every 15 minutes and when the row changes. `connecting`: tried again by itself. `stopped`: no server holds it now. */
    state: "connected" | "connecting" | "failed" | "stopped" | "disabled" | "needs_setup";
    /** Why it is not connected, if that is known. Only admins see it. */
    reason: string | null;
    /** When the connection last changed. */
    changed_at: string | null;
    /** The bot's account. Null before the first connection. */
    account: {
      team_name: string | null;
      user_id: string;
      user_name: string | null;
    } | null;
    /** The events that triggers can name. */
    events: Array<{
      id: string;
      name: string;
      description: string;
      /** The filters of a trigger as the cards of a form. */
      match: Array<{
        title: string;
        description: string;
        collapsed: boolean;
        fields: Array<Shapes["RowSetting"]>;
      }>;
    }>;
    /** Where the platform sends requests. Null if the channel is not set up to accept them. */
    request_url: string | null;
    /** Why this server cannot store events now, such as a full disk. The platform delivers them again. */
    storing_failure: string | null;
    /** The last deliveries, newest first, without their content. */
    recent: Array<{
      at: string;
      events: Array<string>;
      runs: number;
      /** `again`: not stored for all workflows; the platform delivers it again. `given_up`: not any more, after three failures. `unreadable`: it has a form that the hub does not know, and started nothing. */
      failure: "again" | "given_up" | "unreadable" | null;
    }>;
  };
  ChannelUses: {
    /** At most 500, by name. */
    workflows: Array<{
      id: string;
      name: string;
      /** At most 20. */
      places: Array<{
        type: "trigger" | "node";
        /** Id of the trigger or node. */
        id: string;
        /** What it names: the slug or the kind. */
        named: string;
        /** Where it is: in the published workflow, in the draft, or in both. */
        bodies: Array<"published" | "draft">;
      }>;
      /** How many further places there are. */
      places_more: number;
    }>;
    /** Whether further workflows may name it: 500 are listed, or 1 GiB of workflows was searched. */
    is_cut: boolean;
  };
  RowSettings: {
    row_id: string;
    version: number;
    /** Keys of required fields without a value. */
    missing: Array<string>;
    groups: Array<{
      title: string;
      description: string;
      collapsed: boolean;
      fields: Array<Shapes["RowSetting"]>;
    }>;
    /** Likely secrets in fields that are stored in plain text, with the names under which the hub can seal them. Absent if there are none. */
    exposed?: Array<{
      field: string;
      name: string;
    }>;
    /** Keys of the secrets that are kept outside the hub, as a hub file says. A value that is set replaces the reference. Absent if there are none. */
    outside?: Array<string>;
    /** Keys of the secrets that can be guessed, so that what callers send is not recorded, and is limited. Absent if there are none. */
    weak?: Array<string>;
  };
  RowConnection: {
    /** `lost`: it no longer works, and an admin must connect the row again. */
    state: "not_connected" | "connected" | "lost";
    /** Why it is lost; else null. */
    reason: string | null;
    lost_at: string | null;
    /** The authorization server. */
    issuer: string | null;
    /** The address that the tokens are for. They are sent nowhere else. */
    address: string | null;
    scopes: Array<string>;
    connected_at: string | null;
    /** The end of the present access token; null if the server does not say. */
    expires_at: string | null;
    /** Whether the hub renews the access by itself. */
    renews: boolean;
    /** To register the hub by hand at an authorization server. */
    redirect_uri: string;
  };
  BegunConnect: {
    /** Open it in the same browser within ten minutes. It works once. */
    authorize_url: string;
    /** The authorization server. */
    issuer: string;
    /** What the hub asks for. */
    scopes: Array<string>;
    /** `given`: by the row's `client_id`. `registered`: the hub registered itself. `document`: by the address of the hub's metadata document. */
    client: "given" | "registered" | "document";
    /** The authorization server of the present connection, if it is another one. */
    issuer_before: string | null;
  };
  DiscoveryReport: {
    row_id: string;
    tried_at: string | null;
    /** The time of the last discovery that succeeded. */
    discovered_at: string | null;
    /** Why the last discovery failed. */
    failure: string | null;
    /** Changes with each change of the operations. Send it to approve all of them. */
    stamp: string | null;
    operations: number;
    /** The operations that wait for an admin's review. */
    waiting: number;
    /** The first 100 entries. */
    left_out: Array<{
      source_name: string;
      reason: string;
    }>;
    /** How many operations are left out. An entry can stand for several. */
    left_out_total: number;
    added: Array<string>;
    changed: Array<string>;
    gone: Array<string>;
  };
  DocumentServer: {
    /** As the document has it. */
    url: string;
    /** The whole address with the defaults of its variables. Null if it is not one. */
    address: string | null;
    /** Whether it is for all operations, not only some. */
    shared: boolean;
  };
  ReviewedOperation: {
    key: string;
    tool_id: string;
    /** The name in the outside system. */
    source_name: string;
    /** `invalid` was approved, and the outside system now describes it in a way that cannot be used. */
    review: "new" | "changed" | "invalid" | "gone";
    /** Identifies the definition. An approval names it, so that it approves what was shown. */
    digest: string;
    definition: Shapes["OperationDefinition"];
    /** The definition that was approved before. Null for a new operation. */
    approved: Shapes["OperationDefinition"] | null;
    /** What an admin should look at in its texts, such as orders to the model. */
    warnings: Array<string>;
  };
  OperationDefinition: {
    name: string;
    description: string;
    destructive: boolean;
    idempotent: boolean;
    /** A JSON Schema. */
    input_schema: unknown;
    output_schema?: unknown;
    /** What the connector needs to call it, such as a method and a path. */
    binding?: unknown;
  };
  LeftOutPage: {
    left_out: Array<{
      source_name: string;
      reason: string;
    }>;
    /** How many operations are left out. An entry can stand for several. */
    left_out_total: number;
    /** Null on the last page. */
    next: string | null;
  };
  RowDiscovery: {
    row_id: string;
    tried_at: string | null;
    /** The time of the last discovery that succeeded. */
    discovered_at: string | null;
    /** Why the last discovery failed. */
    failure: string | null;
    /** Changes with each change of the operations. Send it to approve all of them. */
    stamp: string | null;
    operations: number;
    /** The operations that wait for an admin's review. */
    waiting: number;
    /** The first 100 entries. */
    left_out: Array<{
      source_name: string;
      reason: string;
    }>;
    /** How many operations are left out. An entry can stand for several. */
    left_out_total: number;
  };
  ReadMarks: {
    row_id: string;
    reads: boolean;
    /** Those that changed: the first 100. */
    operations: Array<string>;
    /** How many changed. */
    count: number;
  };
  ListedOperation: {
    key: string;
    /** The id for `hub_get` and `hub_execute`. */
    tool_id: string;
    name: string;
    enabled: boolean;
    /** Of an operation that the row's outside system offers: what an admin has not reviewed yet. Then it cannot be called. Absent for operations of the connector. */
    review?: "new" | "changed" | "invalid" | "gone" | null;
    destructive: boolean;
    /** Of an operation that the row's outside system offers: whether an admin has marked it as one that only reads. Then it is not destructive. The mark is lost when the operation changes. */
    reads?: boolean;
    /** Only the test action can run it, never MCP. */
    test_only: boolean;
    /** One line of at most 200 characters. */
    description: string;
  };
  OperationForm: {
    key: string;
    name: string;
    description: string;
    /** The inputs as clients see them: a JSON Schema. */
    input_schema: Record<string, unknown>;
    /** The inputs as the cards of a form; `value` is the default. */
    groups: Array<{
      title: string;
      description: string;
      collapsed: boolean;
      fields: Array<Shapes["RowSetting"]>;
    }>;
  };
  RunPage: {
    /** Newest first. With filters a page may contain fewer runs than `limit` although `next` names another page. */
    runs: Array<Shapes["Run"]>;
    /** The `before` of the next page; null on the last page. */
    next: string | null;
  };
  Run: {
    id: string;
    parent_run_id: string | null;
    /** Id of the row; null for meta-tools other than `hub_execute`. */
    connector_id: string | null;
    /** The row's label at the time of the call. */
    row_label: string | null;
    /** Key of the operation, or name of the meta-tool. */
    operation_key: string;
    user_id: string;
    /** E-mail of the user; null once the user is deleted. */
    user: string | null;
    token_id: string | null;
    source: "mcp" | "test" | "retry" | "workflow";
    status: "running" | "success" | "error" | "denied" | "cancelled";
    error_code: string | null;
    error_msg: string | null;
    latency_ms: number | null;
    /** HTTP status of the outside system's answer; null if there was none. */
    http_status: number | null;
    ip_address: string | null;
    user_agent: string | null;
    /** The run of a workflow whose step made the call. */
    workflow_run_id: string | null;
    /** Who or what started that run, such as `webhook orders`. */
    started_by: string | null;
    started_at: string;
    ended_at: string | null;
  };
  Found: {
    connectors: Array<{
      key: string;
      name: string;
    }>;
    /** `connector` is the key of the row's connector. */
    rows: Array<{
      id: string;
      label: string;
      connector: string;
    }>;
    /** `row` and `label` are those of its row. */
    operations: Array<{
      row: string;
      label: string;
      connector: string;
      key: string;
      name: string;
    }>;
    workflows: Array<{
      id: string;
      name: string;
      /** Whether the caller may start it by hand. */
      may_start: boolean;
      /** Whether the caller owns it or is an admin. */
      may_manage: boolean;
    }>;
    /** The run of a workflow with this id. `name` is that of its workflow. */
    workflow_runs: Array<{
      id: string;
      workflow: string;
      name: string;
    }>;
    /** Empty for users who are not admins. */
    users: Array<{
      id: string;
      email: string;
      name: string;
    }>;
    /** Empty for users who are not admins. */
    tags: Array<{
      name: string;
    }>;
  };
  RunSummary: {
    /** The full hours that are counted. */
    from: string;
    to: string;
    /** Only runs that ended before this time are counted. */
    counted_until: string;
    total: Shapes["RunFigures"];
    /** The number of running calls. */
    running: number;
    /** Most calls first. `connector_id` is null for calls of meta-tools without a row. */
    by_row: Array<{
      runs: number;
      by_status: Partial<Record<"running" | "success" | "error" | "denied" | "cancelled", number>>;
      /** Of all runs; null if there are none. */
      mean_latency_ms: number | null;
      connector_id: string | null;
      label: string | null;
    }>;
    /** One point for each hour in which a run ended, oldest first. */
    series: Array<{
      runs: number;
      by_status: Partial<Record<"running" | "success" | "error" | "denied" | "cancelled", number>>;
      /** Of all runs; null if there are none. */
      mean_latency_ms: number | null;
      at: string;
    }>;
  };
  RunFigures: {
    runs: number;
    by_status: Partial<Record<"running" | "success" | "error" | "denied" | "cancelled", number>>;
    /** Of all runs; null if there are none. */
    mean_latency_ms: number | null;
  };
  RunCounts: {
    /** The full hours that are counted. */
    from: string;
    to: string;
    /** Only runs that started after this time are counted, because there are too many; null if all are counted. */
    counted_from: string | null;
    /** The number of runs that have ended. */
    runs: number;
    /** The number of running calls. */
    running: number;
    /** One point for each hour in which a run started, oldest first. */
    series: Array<{
      runs: number;
      by_status: Partial<Record<"running" | "success" | "error" | "denied" | "cancelled", number>>;
      at: string;
    }>;
  };
  RunDetail: {
    id: string;
    parent_run_id: string | null;
    /** Id of the row; null for meta-tools other than `hub_execute`. */
    connector_id: string | null;
    /** The row's label at the time of the call. */
    row_label: string | null;
    /** Key of the operation, or name of the meta-tool. */
    operation_key: string;
    user_id: string;
    /** E-mail of the user; null once the user is deleted. */
    user: string | null;
    token_id: string | null;
    source: "mcp" | "test" | "retry" | "workflow";
    status: "running" | "success" | "error" | "denied" | "cancelled";
    error_code: string | null;
    error_msg: string | null;
    latency_ms: number | null;
    /** HTTP status of the outside system's answer; null if there was none. */
    http_status: number | null;
    ip_address: string | null;
    user_agent: string | null;
    /** The run of a workflow whose step made the call. */
    workflow_run_id: string | null;
    /** Who or what started that run, such as `webhook orders`. */
    started_by: string | null;
    started_at: string;
    ended_at: string | null;
    request: unknown;
    response: unknown;
    /** The request was not stored in full, so the run cannot be replayed. */
    request_cut: boolean;
    /** The user who made the call and admins can see the request and the response. */
    payload_shown: boolean;
    /** Ids of the runs that replayed this one, oldest first. */
    retries: Array<string>;
    /** The workflow of `workflow_run_id`. Null if the caller does not see it. */
    workflow_id: string | null;
  };
  Plugin: {
    key: string;
    name: string;
    description: string;
    /** Null if the manifest cannot be trusted. */
    version: string | null;
    /** The version in the manifest of a plugin that was refused; null if it was not, or if the manifest cannot be read. */
    refused_version: string | null;
    /** The systems and processors in its manifest, such as `linux/amd64`. */
    platforms: Array<string>;
    /** Whether its program has its own runtime (`standalone`) or is run by the hub's executable (`thin`). Null if the manifest cannot be trusted. */
    form: "standalone" | "thin" | null;
    proto_version: number | null;
    signature: "signed" | "binary-only" | "unsigned" | "unchecked" | null;
    enabled: boolean;
    /** Why the installed plugin cannot be called; null if it can. */
    problem: string | null;
    /** The version that is installed for all servers of a PostgreSQL database, if the server that answers does not have it yet; null otherwise. */
    awaited_version: string | null;
    /** Whether it is on one of several servers only, because it was copied into its plugins folder by hand. */
    only_here: boolean;
    /** How this server differs from what is installed for all; null if it does not. */
    note: string | null;
  };
  PluginUpdate: {
    key: string;
    name: string;
    description: string;
    /** Null if the manifest cannot be trusted. */
    version: string | null;
    /** The version in the manifest of a plugin that was refused; null if it was not, or if the manifest cannot be read. */
    refused_version: string | null;
    /** The systems and processors in its manifest, such as `linux/amd64`. */
    platforms: Array<string>;
    /** Whether its program has its own runtime (`standalone`) or is run by the hub's executable (`thin`). Null if the manifest cannot be trusted. */
    form: "standalone" | "thin" | null;
    proto_version: number | null;
    signature: "signed" | "binary-only" | "unsigned" | "unchecked" | null;
    enabled: boolean;
    /** Why the installed plugin cannot be called; null if it can. */
    problem: string | null;
    /** The version that is installed for all servers of a PostgreSQL database, if the server that answers does not have it yet; null otherwise. */
    awaited_version: string | null;
    /** Whether it is on one of several servers only, because it was copied into its plugins folder by hand. */
    only_here: boolean;
    /** How this server differs from what is installed for all; null if it does not. */
    note: string | null;
    previous_version: string | null;
    updated: boolean;
  };
  WorkflowSummary: {
    id: string;
    name: string;
    description: string;
    /** Users who share a tag see the workflow. Its owner and admins see all tags, others only their own. */
    tags: Array<string>;
    /** Triggers of a disabled workflow do not fire. It can be started by hand. */
    enabled: boolean;
    /** The number of publications; 0 if it never was. */
    version: number;
    /** Who may start the workflow by hand: with `tags` users who share a tag with it, with `owner` only its owner. Admins always may. */
    run_by: "tags" | "owner";
    /** `manage` for its owner and for admins, `accept` for the user who was offered it, `see` for users who share a tag with it. */
    access: "manage" | "accept" | "see";
    /** Whether the caller may start it by hand. */
    may_start: boolean;
    /** A workflow whose owner is not an active user does not run. */
    has_active_owner: boolean;
    /** Null for callers who only share a tag. */
    owner: Shapes["WorkflowUser"] | null;
    /** The user to whom the workflow is offered. Null for callers who share a tag. */
    pending_owner: Shapes["WorkflowUser"] | null;
    /** Null for callers who only share a tag. */
    draft: Shapes["WorkflowDraft"] | null;
    created_at: string;
    updated_at: string;
    /** The published triggers. Null for callers who only share a tag. */
    triggers: Array<Shapes["WorkflowTriggerMark"]> | null;
    /** The newest run that does not wait for its time. Null without one. */
    last_run: Shapes["WorkflowRun"] | null;
    /** When a cron trigger fires or a scheduled run starts next. Null for callers who only share a tag. */
    next_run_at: string | null;
  };
  WorkflowUser: {
    id: string;
    /** `local-admin` for the command line. */
    email: string;
  };
  WorkflowDraft: {
    /** Increases with every change of the draft. Send it with the next change. */
    revision: number;
    saved_at: string;
    saved_by: Shapes["WorkflowUser"];
    /** Whether the draft is the published body. */
    is_published: boolean;
  };
  WorkflowTriggerMark: {
    id: string;
    type: string;
    /** Of cron. */
    schedule: string | null;
    /** Of cron; null for the hub's. */
    timezone: string | null;
  };
  WorkflowRun: {
    id: string;
    workflow_id: string;
    /** Null for a run of the draft. */
    version: number | null;
    /** `queued` waits for room or for its time, `waiting` for a time, a person or another run. `dropped` was refused by the queue policy. `unknown` is a dry run that could not go on everywhere, because it does not know what a step would return. The last five are final. */
    state: "queued" | "running" | "waiting" | "succeeded" | "failed" | "cancelled" | "dropped" | "unknown";
    /** `live` is a usual run. `dry` makes reads only, and records what a live run would call. `node` runs one node alone. Only live runs start error workflows and scheduled runs. */
    mode: "live" | "dry" | "node";
    trigger_id: string;
    trigger_type: string;
    /** Who or what started the run, such as `webhook orders` or an e-mail. Null for callers who only share a tag. */
    started_by: string | null;
    /** The run that this one repeats or resumes, or whose node started it. */
    parent_run_id: string | null;
    /** The run that resumes this one. A run is resumed once; resume that one then. */
    resumed_by_run_id: string | null;
    /** How many refused runs a dropped one stands for. Within a minute, those of one trigger and one starter share a record. Null for other runs. */
    dropped_runs: number | null;
    /** Null unless the run failed, and for callers who only share a tag. */
    error: {
      message: string;
      code: string;
      /** The node that failed; null for the run as a whole. */
      node_id: string | null;
    } | null;
    /** For what a waiting run waits: `{kind, …}`, where kind is `time`, `run`, `approval` or `person`. Null otherwise. */
    waiting_for: unknown;
    scheduled_at: string | null;
    created_at: string;
    started_at: string | null;
    ended_at: string | null;
  };
  WorkflowDetail: {
    id: string;
    name: string;
    description: string;
    /** Users who share a tag see the workflow. Its owner and admins see all tags, others only their own. */
    tags: Array<string>;
    /** Triggers of a disabled workflow do not fire. It can be started by hand. */
    enabled: boolean;
    /** The number of publications; 0 if it never was. */
    version: number;
    /** Who may start the workflow by hand: with `tags` users who share a tag with it, with `owner` only its owner. Admins always may. */
    run_by: "tags" | "owner";
    /** `manage` for its owner and for admins, `accept` for the user who was offered it, `see` for users who share a tag with it. */
    access: "manage" | "accept" | "see";
    /** Whether the caller may start it by hand. */
    may_start: boolean;
    /** A workflow whose owner is not an active user does not run. */
    has_active_owner: boolean;
    /** Null for callers who only share a tag. */
    owner: Shapes["WorkflowUser"] | null;
    /** The user to whom the workflow is offered. Null for callers who share a tag. */
    pending_owner: Shapes["WorkflowUser"] | null;
    /** Null for callers who only share a tag. */
    draft: Shapes["WorkflowDraft"] | null;
    created_at: string;
    updated_at: string;
    /** The body of the draft. Null for callers who only share a tag. */
    body: unknown;
    /** The secrets that are set or needed. Null for callers who only share a tag. */
    secrets: Array<Shapes["WorkflowSecret"]> | null;
  };
  WorkflowSecret: {
    name: string;
    is_set: boolean;
    /** Whether the draft or the published body needs it. */
    is_used: boolean;
    updated_at: string | null;
  };
  WorkflowExample: {
    /** Its name for `example` of a new workflow. */
    id: string;
    name: string;
    description: string;
    needs: {
      /** Rows whose operations it calls. */
      rows: Array<{
        /** Its name for `rows` of a new workflow. The placeholder is in the body. */
        name: string;
        /** The key of the connector. */
        connector: string;
        /** The operations of the row that the workflow calls. */
        operations: Array<string>;
        description: string;
      }>;
      /** Secrets of the workflow that must be set. */
      secrets: Array<{
        name: string;
        /** What it is for, and what to set. */
        description: string;
      }>;
      /** Entries of `settings.env` that must be added. */
      env: Array<{
        name: string;
        /** What it is for, and what to set. */
        description: string;
      }>;
      /** Other workflows that it runs. */
      workflows: Array<{
        /** The placeholder in the body. */
        name: string;
        description: string;
      }>;
    };
    /** The body. Operations that must be chosen have a tool id such as `choose:http/post#chat`. */
    body: unknown;
  };
  WorkflowSchedulePreview: {
    /** Such as `Every weekday at 09:00`, without the zone. */
    words: string;
    timezone: string;
    /** The next five. */
    ticks: Array<{
      at: string;
      /** The same with the offset of the time zone. */
      local_time: string;
    }>;
  };
  WorkflowProblem: {
    /** A JSON pointer to the value, such as `/nodes/3/params`; empty for the body. */
    path: string;
    severity: "error" | "warning";
    /** A sentence about what is wrong. */
    message: string;
    /** What to do about it. */
    hint: string;
  };
  WorkflowOpened: {
    /** The id of the node. */
    node: string;
    /** The type of the node. */
    type: string;
    /** The id of an operation or a workflow, the method and address of a request, or the channel of a message. */
    target: string;
  };
  WorkflowPreview: {
    /** The rendered value, cut to 64 KiB. A secret is `[secret NAME]`. */
    value: unknown;
    warnings: Array<string>;
    /** Why the template cannot be rendered. Its value is then null. */
    error: {
      message: string;
      code: string;
    } | null;
  };
  WorkflowVersion: {
    version: number;
    note: string;
    published_by: Shapes["WorkflowUser"];
    published_at: string;
    /** Whether runs use this version. */
    is_published: boolean;
    /** Whether the draft is the same. */
    is_draft: boolean;
  };
  WorkflowDifference: {
    /** The differences for people. */
    sentences: Array<string>;
    nodes: {
      /** Ids that only the newer body has. */
      added: Array<string>;
      /** Ids that only the older body has. */
      removed: Array<string>;
      /** What both bodies have, with different values. */
      changed: Array<{
        id: string;
        /** JSON pointers to the values that differ, inside the node, trigger or comment. */
        fields: Array<string>;
      }>;
    };
    triggers: {
      /** Ids that only the newer body has. */
      added: Array<string>;
      /** Ids that only the older body has. */
      removed: Array<string>;
      /** What both bodies have, with different values. */
      changed: Array<{
        id: string;
        /** JSON pointers to the values that differ, inside the node, trigger or comment. */
        fields: Array<string>;
      }>;
    };
    edges: {
      added: Array<Shapes["WorkflowEdge"]>;
      removed: Array<Shapes["WorkflowEdge"]>;
    };
    comments: {
      /** Ids that only the newer body has. */
      added: Array<string>;
      /** Ids that only the older body has. */
      removed: Array<string>;
      /** What both bodies have, with different values. */
      changed: Array<{
        id: string;
        /** JSON pointers to the values that differ, inside the node, trigger or comment. */
        fields: Array<string>;
      }>;
    };
    /** JSON pointers to the values that differ, inside the settings. */
    settings: Array<string>;
    /** Whether something moved on the canvas. */
    layout: boolean;
  };
  WorkflowEdge: {
    /** The id of the node where the edge starts. */
    from: string;
    /** The id of the node where it ends. */
    to: string;
    /** The edge is taken only if its node ends with this case. Only edges of nodes with cases have one. */
    case?: string;
  };
  WorkflowExplanation: {
    workflow_id: string;
    /** Null for the draft. */
    version: number | null;
    summary: string;
    triggers: Array<{
      id: string;
      label: string | null;
      type: string;
      /** Sentences. Texts of the workflow, such as ids and templates, are in code spans of Markdown; nothing else in them is Markdown. */
      sentences: Array<string>;
    }>;
    /** In an order in which every edge leads forward. */
    steps: Array<{
      node_id: string;
      label: string | null;
      type: string;
      /** Whether it changes or sends something outside of its run. */
      changes: boolean;
      /** Sentences. Texts of the workflow, such as ids and templates, are in code spans of Markdown; nothing else in them is Markdown. */
      sentences: Array<string>;
    }>;
    /** All of it as one Markdown text. */
    markdown: string;
  };
  WorkflowExport: {
    format: "hub-workflow";
    name: string;
    description: string;
    /** Who may start the workflow by hand: with `tags` users who share a tag with it, with `owner` only its owner. Admins always may. */
    run_by: "tags" | "owner";
    /** The body of the draft. */
    body: unknown;
    /** By the ids of the rows that nodes call: their connector, and whose it is. A hub on which a row is of another connector refuses the workflow. Rows that are left out count by their ids alone. */
    rows?: Record<string, {
      connector: string;
      from: "plugin" | "built-in";
    }>;
    /** The names of the secrets that it needs. Their values are never exported. */
    secrets: Array<string>;
  };
  WorkflowTicks: {
    trigger_id: string;
    schedule: string;
    /** The time zone of the schedule. */
    timezone: string;
    /** The next ticks, at most ten. */
    ticks: Array<string>;
  };
  WorkflowScheduledRun: {
    /** Id of the run. */
    id: string;
    /** When it starts. */
    scheduled_at: string;
    created_at: string;
    /** The `schedule_at` trigger. */
    trigger_id: string;
    /** Null for a run of the draft. */
    version: number | null;
    /** How many scheduled runs led to one another up to this one. At most 100. */
    chain_depth: number;
  };
  WorkflowWebhook: {
    trigger_id: string;
    label: string | null;
    /** Of the published version. Null if it does not have the trigger. */
    live: Shapes["WebhookAddress"] | null;
    /** Of the draft. Null if it does not have the trigger. */
    test: Shapes["WebhookAddress"] | null;
  };
  WebhookAddress: {
    url: string;
    methods: Array<"GET" | "POST" | "PUT" | "PATCH" | "DELETE">;
    /** The slug: the part of the address after the workflow's id, without a slash at its start. Without it, the trigger accepts every path of the workflow. */
    path?: string;
    /** The name of a secret of the workflow. Requests must then be signed with it. Without it, requests need no signature. */
    secret_ref?: string;
    /** Without it, every request to a trigger with `secret_ref` is refused. */
    is_secret_set: boolean;
    /** With it, the signature must cover a timestamp, which may differ from the hub's clock by this many seconds. */
    replay_window_s?: number;
    /** `immediately` answers 202 when the run is queued, `last_node` with the last output of the run, `respond_node` with the answer of the first `webhook_respond` node that completes. */
    respond_mode: "immediately" | "last_node" | "respond_node";
    /** Shell commands that send a request. They sign it with the value of the variable SECRET, if the trigger has `secret_ref`. */
    curl: string;
  };
  WebhookDelivery: {
    id: string;
    outcome: "accepted" | "refused";
    /** Null for an accepted request. */
    reason: "no_trigger" | "disabled" | "not_published" | "trial_over" | "inactive_owner" | "secret_not_set" | "signature_missing" | "signature_wrong" | "timestamp_missing" | "timestamp_outside_window" | "timestamp_signature_wrong" | "body_too_large" | "body_too_slow" | "bad_request" | "too_many_requests" | "too_many_runs" | "failed" | null;
    /** Why it was refused and what to do. Null for an accepted request. */
    explanation: string | null;
    /** 1 for an accepted request. Refused ones with the same trigger and reason are counted; the other members are those of the last one. */
    requests: number;
    first_at: string;
    at: string;
    /** Null if there is no trigger for the path and method. */
    trigger_id: string | null;
    /** Whether it was sent to the address of the draft. */
    is_test: boolean;
    method: string;
    /** The slug, cut to 256 characters. */
    path: string;
    delivery_id: string | null;
    /** Whether an earlier request with this delivery id has started the run. */
    is_repeated: boolean;
    /** `none` if the trigger needs no signature, `unchecked` if the request was refused before the signature was looked at. */
    signature: "none" | "valid" | "refused" | "unchecked";
    /** The HTTP status of the answer. */
    status: number;
    /** The `code` of an answer with an error. */
    code: string | null;
    /** The `error` of such an answer. */
    message: string | null;
    run_id: string | null;
    duration_ms: number;
    /** Null if the body was not read. */
    body_bytes: number | null;
  };
  Workflow: {
    id: string;
    name: string;
    description: string;
    /** Users who share a tag see the workflow. Its owner and admins see all tags, others only their own. */
    tags: Array<string>;
    /** Triggers of a disabled workflow do not fire. It can be started by hand. */
    enabled: boolean;
    /** The number of publications; 0 if it never was. */
    version: number;
    /** Who may start the workflow by hand: with `tags` users who share a tag with it, with `owner` only its owner. Admins always may. */
    run_by: "tags" | "owner";
    /** `manage` for its owner and for admins, `accept` for the user who was offered it, `see` for users who share a tag with it. */
    access: "manage" | "accept" | "see";
    /** Whether the caller may start it by hand. */
    may_start: boolean;
    /** A workflow whose owner is not an active user does not run. */
    has_active_owner: boolean;
    /** Null for callers who only share a tag. */
    owner: Shapes["WorkflowUser"] | null;
    /** The user to whom the workflow is offered. Null for callers who share a tag. */
    pending_owner: Shapes["WorkflowUser"] | null;
    /** Null for callers who only share a tag. */
    draft: Shapes["WorkflowDraft"] | null;
    created_at: string;
    updated_at: string;
  };
  WorkflowManualTrigger: {
    id: string;
    label: string | null;
    /** Without fields, the payload is any JSON object. */
    takes_fields: boolean;
    /** The fields as the cards of a form. */
    groups: Array<{
      title: string;
      description: string;
      collapsed: boolean;
      fields: Array<Shapes["RowSetting"]>;
    }>;
  };
  WorkflowOutcome: {
    run_id: string;
    /** `queued` waits for room or for its time, `waiting` for a time, a person or another run. `dropped` was refused by the queue policy. `unknown` is a dry run that could not go on everywhere, because it does not know what a step would return. The last five are final. */
    state: "queued" | "running" | "waiting" | "succeeded" | "failed" | "cancelled" | "dropped" | "unknown";
    /** The last output of a run that succeeded. Encrypted values of its owner are `[secret]` for others. */
    output: unknown;
    error: string | null;
  };
  WorkflowRunDetail: {
    id: string;
    workflow_id: string;
    /** Null for a run of the draft. */
    version: number | null;
    /** `queued` waits for room or for its time, `waiting` for a time, a person or another run. `dropped` was refused by the queue policy. `unknown` is a dry run that could not go on everywhere, because it does not know what a step would return. The last five are final. */
    state: "queued" | "running" | "waiting" | "succeeded" | "failed" | "cancelled" | "dropped" | "unknown";
    /** `live` is a usual run. `dry` makes reads only, and records what a live run would call. `node` runs one node alone. Only live runs start error workflows and scheduled runs. */
    mode: "live" | "dry" | "node";
    trigger_id: string;
    trigger_type: string;
    /** Who or what started the run, such as `webhook orders` or an e-mail. Null for callers who only share a tag. */
    started_by: string | null;
    /** The run that this one repeats or resumes, or whose node started it. */
    parent_run_id: string | null;
    /** The run that resumes this one. A run is resumed once; resume that one then. */
    resumed_by_run_id: string | null;
    /** How many refused runs a dropped one stands for. Within a minute, those of one trigger and one starter share a record. Null for other runs. */
    dropped_runs: number | null;
    /** Null unless the run failed, and for callers who only share a tag. */
    error: {
      message: string;
      code: string;
      /** The node that failed; null for the run as a whole. */
      node_id: string | null;
    } | null;
    /** For what a waiting run waits: `{kind, …}`, where kind is `time`, `run`, `approval` or `person`. Null otherwise. */
    waiting_for: unknown;
    scheduled_at: string | null;
    created_at: string;
    started_at: string | null;
    ended_at: string | null;
    /** What `.Event` is in templates, cut to 64 KiB. Null for callers who only share a tag. */
    event: unknown;
    /** Null for callers who only share a tag. */
    steps: Array<Shapes["WorkflowStep"]> | null;
  };
  WorkflowStep: {
    node_id: string;
    /** The index in `for_each`; null for the node. */
    item: number | null;
    state: "running" | "succeeded" | "failed" | "skipped" | "waiting" | "cancelled" | "unknown";
    tries: number;
    /** The case along which the run went on. */
    case: string | null;
    /** The rendered fields, cut to 64 KiB. */
    input: unknown;
    output: unknown;
    error: {
      message: string;
      code: string;
    } | null;
    warnings: Array<string>;
    /** The step of a dry run that a live run would carry out. `input` is what it would send. */
    would_call: boolean;
    /** The output is a pinned one, or that of an earlier run. */
    is_pinned: boolean;
    /** The run that this one resumes made the step. It did not run again. */
    is_taken_over: boolean;
    /** A person said how the step ended. */
    is_decided: boolean;
    /** The step did not succeed, but the outside system may have carried it out. A resume needs a decision about it. */
    may_have_happened: boolean;
    /** The audit run of the step's call. */
    call_run_id: string | null;
    /** The run of another workflow. */
    child_run_id: string | null;
    wake_at: string | null;
    started_at: string | null;
    ended_at: string | null;
  };
  WorkflowDiagnosis: {
    run: Shapes["WorkflowRun"];
    summary: string;
    /** The step that failed, or that the run waits for. */
    step: {
      node_id: string;
      item: number | null;
      state: "running" | "succeeded" | "failed" | "skipped" | "waiting" | "cancelled" | "unknown";
      tries: number;
      started_at: string;
      ended_at: string | null;
      /** The rendered fields, without secrets. */
      input: unknown;
      error: {
        message: string;
        code: string;
      } | null;
      warnings: Array<string>;
      /** What the outside system answered. */
      http_status: number | null;
      call_run_id: string | null;
      child_run_id: string | null;
    } | null;
    /** Failures of earlier nodes that led to this step. */
    led_by: Array<{
      message: string;
      code: string;
      /** The node that failed; null for the run as a whole. */
      node_id: string | null;
    }>;
    /** What the code of the error means, and what to do. */
    meaning: {
      code: string;
      meaning: string;
      advice: string;
    } | null;
    /** The last earlier live run in which this node succeeded. */
    last_success: {
      run_id: string;
      version: number | null;
      at: string;
    } | null;
    /** How many earlier runs were looked at to find it. */
    runs_searched: number;
    /** What changed since the last success. Null if there is none. */
    changes: {
      /** What differs in the node and in the nodes before it. */
      body: Array<string>;
      input: Array<{
        /** A JSON pointer. */
        path: string;
        /** Absent if the value is new. Cut to 1 KiB. */
        before?: unknown;
        /** Absent if the value is gone. Cut to 1 KiB. */
        after?: unknown;
      }>;
      /** `is_read`: whether templates of the node or of nodes before it read it. */
      event: Array<{
        /** A JSON pointer. */
        path: string;
        /** Absent if the value is new. Cut to 1 KiB. */
        before?: unknown;
        /** Absent if the value is gone. Cut to 1 KiB. */
        after?: unknown;
        is_read: boolean;
      }>;
      /** Recorded changes of what the step uses, newest first. */
      records: Array<{
        at: string;
        text: string;
        /** Only for admins. */
        by: string | null;
      }>;
    } | null;
    /** Sentences. Texts of the workflow, such as ids and templates, are in code spans of Markdown; nothing else in them is Markdown. */
    sentences: Array<string>;
    markdown: string;
  };
  WorkflowRunEvents: {
    events: Array<{
      step: Shapes["WorkflowStepEvent"];
    } | {
      run: Shapes["WorkflowRun"];
    }>;
  };
  WorkflowStepEvent: {
    node_id: string;
    /** The index in `for_each`; null for the node. */
    item: number | null;
    state: "running" | "succeeded" | "failed" | "skipped" | "waiting" | "cancelled" | "unknown";
    tries: number;
    /** The case along which the run went on. */
    case: string | null;
    error: {
      message: string;
      code: string;
    } | null;
    /** The step of a dry run that a live run would carry out. `input` is what it would send. */
    would_call: boolean;
    /** The output is a pinned one, or that of an earlier run. */
    is_pinned: boolean;
    /** The run that this one resumes made the step. It did not run again. */
    is_taken_over: boolean;
    /** A person said how the step ended. */
    is_decided: boolean;
    /** The step did not succeed, but the outside system may have carried it out. A resume needs a decision about it. */
    may_have_happened: boolean;
    /** The audit run of the step's call. */
    call_run_id: string | null;
    /** The run of another workflow. */
    child_run_id: string | null;
    wake_at: string | null;
    started_at: string | null;
    ended_at: string | null;
  };
  WorkflowResume: {
    /** A run that waits for a person goes on itself. A failed one gets a new run. */
    is_same_run: boolean;
    /** The nodes whose outputs are taken over. They do not run again. */
    taken_over: Array<string>;
    /** The nodes that have run, at least in part, and run again. */
    runs_again: Array<string>;
    /** The steps that may have happened and have no decision. Each needs one. */
    undecided: Array<{
      node_id: string;
      item: number | null;
      message: string;
    }>;
  };
  WorkflowResumed: {
    run_id: string;
    /** `queued` waits for room or for its time, `waiting` for a time, a person or another run. `dropped` was refused by the queue policy. `unknown` is a dry run that could not go on everywhere, because it does not know what a step would return. The last five are final. */
    state: "queued" | "running" | "waiting" | "succeeded" | "failed" | "cancelled" | "dropped" | "unknown";
    /** The last output of a run that succeeded. Encrypted values of its owner are `[secret]` for others. */
    output: unknown;
    error: string | null;
    /** A run that waits for a person goes on itself. A failed one gets a new run. */
    is_same_run: boolean;
    /** The nodes whose outputs are taken over. They do not run again. */
    taken_over: Array<string>;
    /** The nodes that have run, at least in part, and run again. */
    runs_again: Array<string>;
  };
  WorkflowApproval: {
    /** A random UUID. */
    id: string;
    workflow_id: string;
    workflow_name: string;
    run_id: string;
    node_id: string;
    /** `pending` waits for a decision. `expired` had none in time. `cancelled` belongs to a run that ended before. All but `pending` are final. */
    state: "pending" | "approved" | "denied" | "expired" | "cancelled";
    /** The question. Encrypted values and secrets in it are `[secret]`. */
    title: string;
    /** Who may decide: tags, and users by e-mail. */
    approvers: {
      tags: Array<string>;
      users: Array<string>;
    };
    /** Who or what started the run, such as `webhook orders` or an e-mail. */
    started_by: string;
    created_at: string;
    expires_at: string;
    /** Null unless it was decided. */
    decided_at: string | null;
    /** The e-mail of the user; `local-admin` for the command line. */
    decided_by: string | null;
    comment: string | null;
    /** Whether the caller may decide it now, in a signed-in browser. */
    may_decide: boolean;
    /** Why the caller may not decide it. Null if the caller may. */
    refusal: string | null;
  };
  WorkflowApprovalDetail: {
    /** A random UUID. */
    id: string;
    workflow_id: string;
    workflow_name: string;
    run_id: string;
    node_id: string;
    /** `pending` waits for a decision. `expired` had none in time. `cancelled` belongs to a run that ended before. All but `pending` are final. */
    state: "pending" | "approved" | "denied" | "expired" | "cancelled";
    /** The question. Encrypted values and secrets in it are `[secret]`. */
    title: string;
    /** Who may decide: tags, and users by e-mail. */
    approvers: {
      tags: Array<string>;
      users: Array<string>;
    };
    /** Who or what started the run, such as `webhook orders` or an e-mail. */
    started_by: string;
    created_at: string;
    expires_at: string;
    /** Null unless it was decided. */
    decided_at: string | null;
    /** The e-mail of the user; `local-admin` for the command line. */
    decided_by: string | null;
    comment: string | null;
    /** Whether the caller may decide it now, in a signed-in browser. */
    may_decide: boolean;
    /** Why the caller may not decide it. Null if the caller may. */
    refusal: string | null;
    /** Encrypted values and secrets in it are `[secret]`. */
    details: string;
    /** Null for a run of the draft. */
    version: number | null;
    /** The e-mails of those who saved or published what the run runs. */
    edited_by: Array<string>;
    /** Whether those who started the run or edited the workflow may decide too. */
    self: boolean;
    /** Of what is shown here. A decision carries it. */
    hash: string;
    /** The nodes that follow on `approved` and change something, in the order of the graph. At most 100. */
    will_run: Array<Shapes["WorkflowWillRun"]>;
    /** The messages to linked chat accounts of approvers, at most 100. A message that is not sent does not stop the run. Those over channels that the caller does not see are left out, except the caller's own. */
    asked_in_chat: Array<{
      /** Null for a deleted user. */
      email: string | null;
      /** The chat platform, such as `slack`. */
      kind: string;
      /** The channel that sends it. Null if the caller does not see it. */
      channel: {
        slug: string;
        label: string;
      } | null;
      state: "waiting" | "sent" | "failed";
      /** Why the last try failed. It is tried again while the state is `waiting`. */
      failure: string | null;
    }>;
    /** How many further such nodes there are. */
    will_run_more: number;
  };
  WorkflowWillRun: {
    node_id: string;
    label: string | null;
    /** The type of the node, such as `operation`. */
    type: string;
    /** What it calls: the id of an operation, the method of a request, the id of a workflow, or a channel with its action. `schedule_at` for a node whose output schedules a run. */
    target: string;
    /** The fields of the node, such as `params`. Rendered if `is_rendered`, else the templates as they are. Encrypted values and secrets are `[secret]`. Cut to 16 KiB. */
    fields: unknown;
    /** Whether `fields` are what the node gets. The node then fails with `conflict` if it would get anything else. */
    is_rendered: boolean;
    /** Whether `fields` show a part only. */
    is_cut: boolean;
    /** The nodes whose outputs the templates need and that have not ended. */
    depends_on: Array<string>;
    /** Whether the templates read the time at which the node runs. */
    uses_time: boolean;
    /** With `for_each`: how often the node runs, and the fields of the first items. Null for another node, and if the list is not known yet. */
    items: {
      count: number;
      shown: Array<unknown>;
    } | null;
    /** Why the fields cannot be rendered, if that is not because of other nodes. */
    problem: string | null;
  };
  User: {
    id: string;
    /** Lower case; unique. */
    email: string;
    name: string;
    role: "admin" | "user";
    status: "pending" | "active" | "disabled";
    /** Without the reserved tag `everyone`, which every user has. */
    tags: Array<string>;
    created_at: string;
  };
  Identity: {
    id: string;
    issuer: string;
    /** From the provider at the last sign-in. */
    email: string;
    linked_at: string;
    last_used_at: string;
  };
  ChatAccount: {
    id: string;
    /** The chat platform: the key of its connector. */
    kind: string;
    /** The workspace. Null on platforms without workspaces. */
    team_id: string | null;
    team_name: string | null;
    /** The platform's id of the person. */
    account_id: string;
    account_name: string | null;
    linked_at: string;
  };
  RefusedSignIns: {
    /** Users with several refused sign-ins, most first; 20 at most. */
    users: Array<{
      id: string;
      email: string;
      refused: number;
    }>;
    /** Refused sign-ins with e-mails of no user, approximately. */
    unknown: number;
  };
  Token: {
    id: string;
    /** E-mail of its user. */
    user: string;
    name: string;
    last_four: string;
    /** `mcp`: only the MCP endpoint. `manage`: also the management API. */
    scope: "mcp" | "manage";
    created_at: string;
    last_used_at: string | null;
    expires_at: string | null;
    revoked_at: string | null;
  };
  Session: {
    id: string;
    /** E-mail of the user who is signed in. */
    user: string;
    created_at: string;
    last_seen_at: string;
    expires_at: string;
    ip_address: string | null;
    user_agent: string | null;
  };
  Application: {
    /** The id of the token in recorded runs. */
    id: string;
    /** E-mail of its user. */
    user: string;
    /** The name that the client gave itself. */
    name: string;
    client_id: string;
    /** The destination of its codes: the host of a site, this computer, or the scheme of an app. */
    destination: string;
    connected_at: string;
    last_used_at: string | null;
    /** Every refresh extends it. */
    expires_at: string;
  };
  Status: {
    database: {
      kind: string;
      bytes: number;
      newest_migration: string;
      /** How this process reaches the database; null with SQLite. */
      server: {
        round_trip_ms: number;
        connections_max: number;
        connections_open: number;
        /** Since the start; more than `connections_max` if some were lost. */
        connections_opened: number;
        /** Statements and transactions in progress. */
        busy: number;
        /** Callers that wait for a connection. */
        waiting: number;
      } | null;
    };
    /** The last backup. Null if none was made, and on PostgreSQL. */
    backup: {
      made_at: string;
      /** Whether the next one is late: after twice the interval of `hub backup --keep`, or else after a week. */
      late: boolean;
    } | null;
    /** Those that are alive on the database, oldest first. */
    processes: Array<Shapes["Process"]>;
  };
  Process: {
    id: string;
    kind: "serve" | "stdio" | "cli";
    /** Null for a command. */
    version: string | null;
    hostname: string;
    pid: number;
    started_at: string;
    heartbeat_at: string;
    /** By how much the database's clock is ahead of the clock of its machine. */
    clock_offset_ms: number;
    /** Whether it is the one that gives this answer. */
    answers: boolean;
  };
  Check: {
    name: string;
    /** `fail`: the hub does not work. `warn`: it works, but an admin should check. */
    status: "ok" | "warn" | "fail";
    /** The result and, if there is a problem, what to do. */
    message: string;
  };
  Setting: {
    /** The variable, such as `HUB_AUDIT_RETENTION_DAYS`. */
    name: string;
    description: string;
    value: string | null;
    /** `stored` is a value that an admin set at run time. */
    origin: "default" | "environment" | "flag" | "stored";
    /** Whether it can be changed at run time. False if a flag or a variable sets it. */
    changeable: boolean;
  };
  Change: {
    id: string;
    changed_at: string;
    actor_id: string;
    /** E-mail of the actor at that time; `local-admin` for the command line. */
    actor: string;
    /** `session`, `token`, `command line`, `chat` or `hub`. */
    via: string;
    token_id: string | null;
    ip_address: string | null;
    /** Noun and verb, such as `row.update`. */
    action: string;
    target_kind: string;
    target_id: string;
    /** The target's name at that time. */
    target: string;
    /** The names of the changed fields; never a secret. */
    detail: Record<string, unknown>;
  };
  CreatedToken: {
    id: string;
    /** E-mail of its user. */
    user: string;
    name: string;
    last_four: string;
    /** `mcp`: only the MCP endpoint. `manage`: also the management API. */
    scope: "mcp" | "manage";
    created_at: string;
    last_used_at: string | null;
    expires_at: string | null;
    revoked_at: string | null;
    token: string;
  };
  ChatLink: {
    id: string;
    expires_at: string;
    /** The chat account that sent the code. Null before. */
    claimed_by: {
      /** The chat platform: the key of its connector. */
      kind: string;
      /** The workspace. Null on platforms without workspaces. */
      team_id: string | null;
      team_name: string | null;
      /** The platform's id of the person. */
      account_id: string;
      account_name: string | null;
      /** The channel over which the code came. */
      channel: string;
    } | null;
    /** Whether that account has answered yes. Then the link can be confirmed. */
    confirmed_in_chat: boolean;
  };
  CreatedChatLink: {
    id: string;
    expires_at: string;
    /** The chat account that sent the code. Null before. */
    claimed_by: {
      /** The chat platform: the key of its connector. */
      kind: string;
      /** The workspace. Null on platforms without workspaces. */
      team_id: string | null;
      team_name: string | null;
      /** The platform's id of the person. */
      account_id: string;
      account_name: string | null;
      /** The channel over which the code came. */
      channel: string;
    } | null;
    /** Whether that account has answered yes. Then the link can be confirmed. */
    confirmed_in_chat: boolean;
    /** Send it to the bot as a direct message. */
    code: string;
  };
};

export type Api = {
  "GET /manager/api/connectors": {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: {
      connectors: Array<Shapes["Connector"]>;
    };
  };
  "GET /manager/api/connectors/{key}": {
    params: {
      /** Key of a connector, such as `http`. */
      key: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["ConnectorDetail"];
  };
  "POST /manager/api/connectors/{key}/type-disable": {
    params: {
      /** Key of a connector, such as `http`. */
      key: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      disabled_type: boolean;
    };
  };
  "POST /manager/api/connectors/{key}/type-enable": {
    params: {
      /** Key of a connector, such as `http`. */
      key: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      disabled_type: boolean;
    };
  };
  "GET /manager/api/rows": {
    params: Record<never, never>;
    query: {
      limit?: number;
      /** The `next` of the previous page. */
      after?: string;
      connector?: string;
    };
    body: undefined;
    answer: {
      rows: Array<Shapes["Row"]>;
      /** The `after` of the next page; null on the last page. */
      next: string | null;
    };
  };
  "POST /manager/api/rows": {
    params: Record<never, never>;
    query: Record<never, never>;
    body: {
      connector: string;
      label: string;
      description?: string;
      tags?: Array<string>;
      /** The default is `admins`. */
      tests?: "admins" | "tag";
      /** Values by field key, as text or, for numbers, booleans and lists, as JSON values. An empty text unsets a field, also a secret. */
      values?: Record<string, unknown>;
    };
    answer: Shapes["RowDetail"];
  };
  "POST /manager/api/rows/sample": {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["RowDetail"];
  };
  "POST /manager/api/imports/plan": {
    params: Record<never, never>;
    query: Record<never, never>;
    body: {
      /** The text of the file: JSON, with comments, or TOML. */
      text: string;
      /** Its name, for messages. A name that ends with .toml is TOML. */
      file?: string;
    };
    answer: Shapes["ImportPlan"];
  };
  "POST /manager/api/imports": {
    params: Record<never, never>;
    query: Record<never, never>;
    body: {
      /** The text of the file: JSON, with comments, or TOML. */
      text: string;
      /** Its name, for messages. A name that ends with .toml is TOML. */
      file?: string;
      servers: Array<number>;
      tags?: Array<string>;
    };
    answer: Shapes["ImportReport"];
  };
  "GET /manager/api/rows/{row}": {
    params: {
      /** Id of a row. */
      row: string;
    };
    query: {
      /** With `none`, the list is empty. Read it in pages, for rows with thousands. */
      operations?: "all" | "none";
    };
    body: undefined;
    answer: Shapes["RowView"];
  };
  "PATCH /manager/api/rows/{row}": {
    params: {
      /** Id of a row. */
      row: string;
    };
    query: Record<never, never>;
    body: {
      /** The version that was read. If the row has changed since: 409 `conflict`. */
      version: number;
      label?: string;
      description?: string;
      tags?: Array<string>;
      tests?: "admins" | "tag";
      /** Values by field key, as text or, for numbers, booleans and lists, as JSON values. An empty text unsets a field, also a secret. */
      values?: Record<string, unknown>;
    };
    answer: Shapes["RowDetail"];
  };
  "DELETE /manager/api/rows/{row}": {
    params: {
      /** Id of a row. */
      row: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      id: string;
      label: string;
    };
  };
  "POST /manager/api/rows/{row}/enable": {
    params: {
      /** Id of a row. */
      row: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["RowDetail"];
  };
  "POST /manager/api/rows/{row}/disable": {
    params: {
      /** Id of a row. */
      row: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["RowDetail"];
  };
  "POST /manager/api/rows/{row}/duplicate": {
    params: {
      /** Id of a row. */
      row: string;
    };
    query: Record<never, never>;
    body: {
      label?: string;
    };
    answer: Shapes["RowDetail"];
  };
  "GET /manager/api/channels": {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: {
      channels: Array<Shapes["Channel"]>;
    };
  };
  "GET /manager/api/rows/{row}/channel": {
    params: {
      /** Id of a row. */
      row: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["ChannelDetail"];
  };
  "GET /manager/api/rows/{row}/channel/workflows": {
    params: {
      /** Id of a row. */
      row: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["ChannelUses"];
  };
  "PUT /manager/api/rows/{row}/slug": {
    params: {
      /** Id of a row. */
      row: string;
    };
    query: Record<never, never>;
    body: {
      slug: string;
    };
    answer: {
      id: string;
      connector: string;
      label: string;
      /** The name of a channel in addresses and triggers. Absent in other rows. */
      slug?: string;
      description: string;
      /** Only admins see a row without tags; with `everyone`, every user sees it. */
      tags: Array<string>;
      /** Who may run its operations as a test and use its html widgets: only admins, or with `tag` also the users who share a tag with it. Maintenance operations stay with admins. */
      tests: "admins" | "tag";
      disabled: boolean;
      /** Whether the connector type is disabled. */
      disabled_type: boolean;
      /** Keys of required fields without a value; null if the connector is not installed. */
      missing: Array<string> | null;
      /** Increases with every change. Send it with a change, so that the change cannot overwrite another one. */
      version: number;
      created_at: string;
      updated_at: string;
      values: Array<Shapes["RowValue"]>;
      operations: Array<Shapes["RowOperation"]>;
      /** In the answer to a change: keys of secret fields whose new values can be guessed. See the reference of tokens. Absent if there are none. */
      weak?: Array<string>;
      still_named_in: Shapes["ChannelUses"];
    };
  };
  "GET /manager/api/rows/{row}/settings": {
    params: {
      /** Id of a row. */
      row: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["RowSettings"];
  };
  "POST /manager/api/rows/{row}/seal-secrets": {
    params: {
      /** Id of a row. */
      row: string;
    };
    query: Record<never, never>;
    body: {
      /** The version that was read. If the row has changed since: 409 `conflict`. */
      version: number;
    };
    answer: Shapes["RowSettings"];
  };
  "PUT /manager/api/rows/{row}/fields/{field}": {
    params: {
      /** Id of a row. */
      row: string;
      field: string;
    };
    query: Record<never, never>;
    body: {
      value: unknown;
      /** The version that was read. If the row has changed since: 409 `conflict`. */
      version: number;
    };
    answer: Shapes["RowSettings"];
  };
  "POST /manager/api/rows/{row}/fields/{field}/generate": {
    params: {
      /** Id of a row. */
      row: string;
      field: string;
    };
    query: Record<never, never>;
    body: {
      /** The version that was read. If the row has changed since: 409 `conflict`. */
      version: number;
    };
    answer: Shapes["RowSettings"];
  };
  "POST /manager/api/rows/{row}/fields/{field}/widget": {
    params: {
      /** Id of a row. */
      row: string;
      field: string;
    };
    query: Record<never, never>;
    body: {
      /** The clicked element's `data-op`. */
      op?: string;
      /** The clicked element's `data-arg`. */
      arg?: string;
      /** Values of at most 1000 named elements by name; an unchecked box is absent. */
      input?: Record<string, string>;
      /** The row's version as it was read. If the row has changed since, nothing is done. */
      version?: number;
    };
    answer: {
      html: string;
      /** True if the markup was larger than a result may be (`HUB_RESULT_BYTES_MAX`), so that its end is missing. */
      html_cut?: boolean;
      /** The answer of the clicked operation without its `html`, sealed like any result. */
      result?: unknown;
      /** The run of the clicked operation. */
      run_id?: string;
      /** After a click: the fields whose values were saved. */
      saved?: Array<string>;
      /** After a click: fields of the answer that it may not change. */
      not_saved?: Array<{
        field: string;
        reason: string;
      }>;
    };
  };
  "GET /channels/{channel}/lookup": {
    params: {
      /** Slug of a channel. */
      channel: string;
    };
    query: {
      /** Such as `slack.users`. Its alias is `users`. */
      source: string;
      /** The typed text. */
      q?: string;
    };
    body: undefined;
    answer: Array<{
      id: string;
      name: string;
    }>;
  };
  "GET /manager/api/rows/{row}/lookup": {
    params: {
      /** Id of a row. */
      row: string;
    };
    query: {
      /** The field's `source`. */
      source: string;
      /** What was typed. */
      q?: string;
    };
    body: undefined;
    answer: Array<{
      id: string;
      name: string;
    }>;
  };
  "GET /manager/api/rows/{row}/connection": {
    params: {
      /** Id of a row. */
      row: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      /** Null if the row needs no connection. */
      connection: Shapes["RowConnection"] | null;
    };
  };
  "POST /manager/api/rows/{row}/connect": {
    params: {
      /** Id of a row. */
      row: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["BegunConnect"];
  };
  "POST /manager/api/rows/{row}/disconnect": {
    params: {
      /** Id of a row. */
      row: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      id: string;
      label: string;
      /** Whether the authorization server has ended the tokens; null if it does not offer this. */
      revoked: boolean | null;
    };
  };
  "POST /manager/api/rows/{row}/health": {
    params: {
      /** Id of a row. */
      row: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      ok: boolean;
      reason?: string;
      /** The last lines that the row's program wrote to its standard error, masked. */
      program_output?: string;
    };
  };
  "POST /manager/api/rows/{row}/discover": {
    params: {
      /** Id of a row. */
      row: string;
    };
    query: Record<never, never>;
    body: {
      /** The text of a document to read, instead of the one at the row's address. */
      document?: string;
    };
    answer: Shapes["DiscoveryReport"];
  };
  "POST /manager/api/rows/{row}/servers": {
    params: {
      /** Id of a row. */
      row: string;
    };
    query: Record<never, never>;
    body: {
      /** The text of a document to read, instead of the one at the row's address. */
      document?: string;
    };
    answer: {
      servers: Array<Shapes["DocumentServer"]>;
    };
  };
  "GET /manager/api/rows/{row}/review": {
    params: {
      /** Id of a row. */
      row: string;
    };
    query: {
      offset?: number;
      limit?: number;
      filter?: "new" | "changed" | "invalid" | "gone" | "warnings";
    };
    body: undefined;
    answer: {
      row_id: string;
      tried_at: string | null;
      /** The time of the last discovery that succeeded. */
      discovered_at: string | null;
      /** Why the last discovery failed. */
      failure: string | null;
      /** Changes with each change of the operations. Send it to approve all of them. */
      stamp: string | null;
      operations: number;
      /** The operations that wait for an admin's review. */
      waiting: number;
      /** The first 100 entries. */
      left_out: Array<{
        source_name: string;
        reason: string;
      }>;
      /** How many operations are left out. An entry can stand for several. */
      left_out_total: number;
      reviewed: Array<Shapes["ReviewedOperation"]>;
      /** Null on the last page. */
      next_offset: number | null;
      /** The operations that each `filter` shows, on all pages. */
      counts: {
        new: number;
        changed: number;
        invalid: number;
        gone: number;
        warnings: number;
      };
    };
  };
  "GET /manager/api/rows/{row}/left-out": {
    params: {
      /** Id of a row. */
      row: string;
    };
    query: {
      after?: number;
      limit?: number;
    };
    body: undefined;
    answer: Shapes["LeftOutPage"];
  };
  "POST /manager/api/rows/{row}/approve": {
    params: {
      /** Id of a row. */
      row: string;
    };
    query: Record<never, never>;
    body: {
      operations: Array<{
        key: string;
        digest: string;
        /** Also marks it as an operation that only reads. */
        reads?: boolean;
      }>;
    } | {
      stamp: string;
    };
    answer: Shapes["RowDiscovery"];
  };
  "POST /manager/api/rows/{row}/reads": {
    params: {
      /** Id of a row. */
      row: string;
    };
    query: Record<never, never>;
    body: {
      /** Keys of approved operations. Without it, to mark: all approved ones that the outside system does not describe as destructive, such as each GET. To remove marks: all that have one. */
      operations?: Array<string>;
      /** `false` removes the mark. */
      reads: boolean;
      /** That of the page of operations, or of the review, that was shown. */
      stamp?: string;
    };
    answer: Shapes["ReadMarks"];
  };
  "GET /manager/api/rows/{row}/operations": {
    params: {
      /** Id of a row. */
      row: string;
    };
    query: {
      /** Words in the key, the name or the description, ignoring case. Those with them in key or name come first. */
      q?: string;
      /** Only the operation with this key. */
      key?: string;
      /** Only those that clients can call. */
      callable?: string;
      limit?: number;
      /** The `next` of the previous page. */
      after?: number;
    };
    body: undefined;
    answer: {
      operations: Array<Shapes["ListedOperation"]>;
      /** The operations that match, on all pages. */
      total: number;
      /** The `after` of the next page; null on the last page. */
      next: string | null;
      /** Changes with the operations that the row's outside system offers, their approvals and marks. Null for a row whose connector has its own. */
      stamp: string | null;
    };
  };
  "GET /manager/api/rows/{row}/operations/{operation}": {
    params: {
      /** Id of a row. */
      row: string;
      /** Key of an operation. */
      operation: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["OperationForm"];
  };
  "POST /manager/api/rows/{row}/operations/{operation}/enable": {
    params: {
      /** Id of a row. */
      row: string;
      /** Key of an operation. */
      operation: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      row_id: string;
      operation: string;
      enabled: boolean;
    };
  };
  "POST /manager/api/rows/{row}/operations/{operation}/disable": {
    params: {
      /** Id of a row. */
      row: string;
      /** Key of an operation. */
      operation: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      row_id: string;
      operation: string;
      enabled: boolean;
    };
  };
  "POST /manager/api/rows/{row}/operations/{operation}/test": {
    params: {
      /** Id of a row. */
      row: string;
      /** Key of an operation. */
      operation: string;
    };
    query: Record<never, never>;
    body: {
      params?: Record<string, unknown>;
      /** A run of the same operation of this row, whose params were the start. */
      retry_of?: string;
    };
    answer: {
      /** The operation's result, sealed. */
      result: unknown;
      /** Id of the recorded run. */
      run_id: string;
    };
  };
  "POST /manager/api/rows/{row}/operations/{operation}/inputs/{input}/widget": {
    params: {
      /** Id of a row. */
      row: string;
      /** Key of an operation. */
      operation: string;
      /** Key of the input. */
      input: string;
    };
    query: Record<never, never>;
    body: {
      /** The clicked element's `data-op`. */
      op?: string;
      /** The clicked element's `data-arg`. */
      arg?: string;
      /** Values of at most 1000 named elements by name; an unchecked box is absent. */
      input?: Record<string, string>;
      /** What the form has for the input now. */
      value?: string;
    };
    answer: {
      html: string;
      /** True if the markup was larger than a result may be (`HUB_RESULT_BYTES_MAX`), so that its end is missing. */
      html_cut?: boolean;
      /** The answer of the clicked operation without its `html`, sealed like any result. */
      result?: unknown;
      /** The run of the clicked operation. */
      run_id?: string;
    };
  };
  "GET /manager/api/rows/{row}/runs": {
    params: {
      /** Id of a row. */
      row: string;
    };
    query: {
      /** Id of the user who called. */
      user?: string;
      status?: "running" | "success" | "error" | "denied" | "cancelled";
      source?: "mcp" | "test" | "retry" | "workflow";
      /** Key of an operation. */
      operation?: string;
      /** A text in the error message or its code; ASCII letters match in both cases. Searches your own runs only, unless you are an admin. */
      error?: string;
      /** Runs that started at this time or later; RFC 3339. */
      from?: string;
      /** Runs that started before this time; RFC 3339. */
      to?: string;
      /** The `next` of the previous page. */
      before?: string;
      limit?: number;
    };
    body: undefined;
    answer: Shapes["RunPage"];
  };
  "GET /manager/api/rows/{row}/runs/export": {
    params: {
      /** Id of a row. */
      row: string;
    };
    query: {
      /** Id of the user who called. */
      user?: string;
      status?: "running" | "success" | "error" | "denied" | "cancelled";
      source?: "mcp" | "test" | "retry" | "workflow";
      /** Key of an operation. */
      operation?: string;
      /** A text in the error message or its code; ASCII letters match in both cases. Searches your own runs only, unless you are an admin. */
      error?: string;
      /** Runs that started at this time or later; RFC 3339. */
      from?: string;
      /** Runs that started before this time; RFC 3339. */
      to?: string;
    };
    body: undefined;
    answer: string;
  };
  "GET /manager/api/search": {
    params: Record<never, never>;
    query: {
      /** A few words; 100 characters at most. */
      q: string;
    };
    body: undefined;
    answer: Shapes["Found"];
  };
  "GET /manager/api/runs": {
    params: Record<never, never>;
    query: {
      /** Id of the user who called. */
      user?: string;
      status?: "running" | "success" | "error" | "denied" | "cancelled";
      source?: "mcp" | "test" | "retry" | "workflow";
      /** Key of an operation. */
      operation?: string;
      /** A text in the error message or its code; ASCII letters match in both cases. Searches your own runs only, unless you are an admin. */
      error?: string;
      /** Runs that started at this time or later; RFC 3339. */
      from?: string;
      /** Runs that started before this time; RFC 3339. */
      to?: string;
      /** The `next` of the previous page. */
      before?: string;
      limit?: number;
      /** Id of a row, also of a deleted one. */
      row?: string;
      /** Key of a connector: runs of its present rows. */
      connector?: string;
    };
    body: undefined;
    answer: Shapes["RunPage"];
  };
  "GET /manager/api/runs/summary": {
    params: Record<never, never>;
    query: {
      from?: string;
      to?: string;
      /** Id of a row, also of a deleted one. */
      row?: string;
    };
    body: undefined;
    answer: Shapes["RunSummary"];
  };
  "GET /manager/api/runs/counts": {
    params: Record<never, never>;
    query: {
      /** Id of the user who called. */
      user?: string;
      status?: "running" | "success" | "error" | "denied" | "cancelled";
      source?: "mcp" | "test" | "retry" | "workflow";
      /** Key of an operation. */
      operation?: string;
      /** A text in the error message or its code; ASCII letters match in both cases. Searches your own runs only, unless you are an admin. */
      error?: string;
      /** Runs that started at this time or later; RFC 3339. */
      from?: string;
      /** Runs that started before this time; RFC 3339. */
      to?: string;
      /** Id of a row, also of a deleted one. */
      row?: string;
      /** Key of a connector: runs of its present rows. */
      connector?: string;
    };
    body: undefined;
    answer: Shapes["RunCounts"];
  };
  "GET /manager/api/runs/export": {
    params: Record<never, never>;
    query: {
      /** Id of the user who called. */
      user?: string;
      status?: "running" | "success" | "error" | "denied" | "cancelled";
      source?: "mcp" | "test" | "retry" | "workflow";
      /** Key of an operation. */
      operation?: string;
      /** A text in the error message or its code; ASCII letters match in both cases. Searches your own runs only, unless you are an admin. */
      error?: string;
      /** Runs that started at this time or later; RFC 3339. */
      from?: string;
      /** Runs that started before this time; RFC 3339. */
      to?: string;
      /** Id of a row, also of a deleted one. */
      row?: string;
      /** Key of a connector: runs of its present rows. */
      connector?: string;
    };
    body: undefined;
    answer: string;
  };
  "GET /manager/api/runs/{run}": {
    params: {
      run: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["RunDetail"];
  };
  "GET /manager/api/runs/{run}/form": {
    params: {
      run: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      tool_id: string;
      params: Record<string, unknown>;
    };
  };
  "POST /manager/api/runs/{run}/retry": {
    params: {
      run: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      /** The operation's result, sealed. */
      result: unknown;
      /** Id of the recorded run. */
      run_id: string;
    };
  };
  "POST /manager/api/runs/{run}/cancel": {
    params: {
      run: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      id: string;
      cancelling: true;
    };
  };
  "GET /manager/api/plugins": {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: {
      plugins: Array<Shapes["Plugin"]>;
      fence: {
        in_force: boolean;
        /** What is in force, such as `Landlock 7`, or why there is nothing and what that means. */
        text: string;
      };
    };
  };
  "GET /manager/api/plugins/catalog": {
    params: Record<never, never>;
    query: {
      q?: string;
    };
    body: undefined;
    answer: {
      plugins: Array<{
        key: string;
        name: string;
        description: string;
        version: string;
        platforms: Array<string>;
        /** Whether there is a build for this machine. */
        available: boolean;
        /** The form that is installed by name; null if none is available. */
        form: "standalone" | "thin" | null;
        installed_version: string | null;
        /** Whether the installed version came from the catalog, which has a later one. */
        update_available: boolean;
        /** Why it cannot be installed here; null if it can. */
        unavailable_reason: string | null;
      }>;
      /** When the shown catalog was loaded, if it cannot be loaded now; otherwise null. */
      stale_since: string | null;
      /** What to do if this hub has no catalog, as a checkout before `npm run plugins`; otherwise null. */
      no_catalog: string | null;
    };
  };
  "POST /manager/api/plugins/install": {
    params: Record<never, never>;
    query: Record<never, never>;
    body: {
      source: string;
      allow_downgrade?: boolean;
      /** Allows it to replace a plugin that was installed from another source. */
      replace?: boolean;
    };
    answer: Shapes["Plugin"];
  };
  "POST /manager/api/plugins/upload": {
    params: Record<never, never>;
    query: {
      /** The name of the file, for messages. */
      name?: string;
      /** `true` allows a lower version. */
      allow_downgrade?: "true" | "false";
      /** `true` allows it to replace an installed plugin. Otherwise only an archive that the same trusted key has signed may replace it. */
      replace?: "true" | "false";
    };
    body: Blob;
    answer: Shapes["Plugin"];
  };
  "GET /manager/api/plugins/{key}": {
    params: {
      /** Key of a plugin. */
      key: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["Plugin"];
  };
  "DELETE /manager/api/plugins/{key}": {
    params: {
      /** Key of a plugin. */
      key: string;
    };
    query: {
      /** `true` deletes its program's data. */
      data?: "true" | "false";
    };
    body: undefined;
    answer: Shapes["Plugin"];
  };
  "POST /manager/api/plugins/{key}/update": {
    params: {
      /** Key of a plugin. */
      key: string;
    };
    query: Record<never, never>;
    body: {
      /** Allows it to replace a plugin that was installed from another source. */
      replace?: boolean;
    };
    answer: Shapes["PluginUpdate"];
  };
  "POST /manager/api/plugins/{key}/enable": {
    params: {
      /** Key of a plugin. */
      key: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["Plugin"];
  };
  "POST /manager/api/plugins/{key}/disable": {
    params: {
      /** Key of a plugin. */
      key: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["Plugin"];
  };
  "GET /manager/api/workflows": {
    params: Record<never, never>;
    query: {
      limit?: number;
      /** The `next` of the previous page. */
      after?: string;
      /** A part of the name or id. */
      q?: string;
      tag?: string;
      /** Id of a user. */
      owner?: string;
      /** `published` is published and enabled; `draft` was never published; the last run of `failing` ones failed. */
      state?: "published" | "draft" | "disabled" | "failing";
    };
    body: undefined;
    answer: {
      workflows: Array<Shapes["WorkflowSummary"]>;
      /** The `after` of the next page; null on the last page. */
      next: string | null;
      /** Whether the caller may create workflows. */
      may_create: boolean;
    };
  };
  "POST /manager/api/workflows": {
    params: Record<never, never>;
    query: Record<never, never>;
    body: {
      name: string;
      description?: string;
      /** Who may start the workflow by hand: with `tags` users who share a tag with it, with `owner` only its owner. Admins always may. */
      run_by?: "tags" | "owner";
      /** The body of the workflow: `{schema, triggers, nodes, edges, settings, layout, comments}`. At most 1 MiB. */
      body?: unknown;
      /** The id of an example, whose body becomes the draft. Not together with `body`. */
      example?: string;
      /** The rows of the example: ids by the names in its `needs.rows`. Rows that are left out can be chosen later. */
      rows?: Record<string, string>;
      /** Entries of the example's `settings.env`. */
      env?: Record<string, string>;
      /** Only admins may choose one. It can never be used again. */
      id?: string;
    };
    answer: Shapes["WorkflowDetail"];
  };
  "GET /manager/api/workflow-examples": {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: {
      examples: Array<Shapes["WorkflowExample"]>;
    };
  };
  "GET /manager/api/workflow-schedule": {
    params: Record<never, never>;
    query: {
      /** A cron expression of six fields. */
      schedule: string;
      /** An IANA time zone. The default is the hub's. */
      timezone?: string;
    };
    body: undefined;
    answer: Shapes["WorkflowSchedulePreview"];
  };
  "POST /manager/api/workflows/import": {
    params: Record<never, never>;
    query: Record<never, never>;
    body: {
      format?: "hub-workflow";
      name: string;
      description?: string;
      /** Who may start the workflow by hand: with `tags` users who share a tag with it, with `owner` only its owner. Admins always may. */
      run_by?: "tags" | "owner";
      /** The body of the draft. */
      body: unknown;
      /** By the ids of the rows that nodes call: their connector, and whose it is. A hub on which a row is of another connector refuses the workflow. Rows that are left out count by their ids alone. */
      rows?: Record<string, {
        connector: string;
        from: "plugin" | "built-in";
      }>;
      /** The names of the secrets that it needs. Their values are never exported. */
      secrets?: Array<string>;
      /** Only admins may choose one. It can never be used again. */
      id?: string;
    };
    answer: Shapes["WorkflowDetail"];
  };
  "POST /manager/api/workflows/validate": {
    params: Record<never, never>;
    query: Record<never, never>;
    body: {
      /** The body of the workflow: `{schema, triggers, nodes, edges, settings, layout, comments}`. At most 1 MiB. */
      body: unknown;
    };
    answer: {
      problems: Array<Shapes["WorkflowProblem"]>;
      opened: Array<Shapes["WorkflowOpened"]>;
    };
  };
  "GET /manager/api/workflows/{workflow}": {
    params: {
      /** Id of a workflow. */
      workflow: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["WorkflowDetail"];
  };
  "PATCH /manager/api/workflows/{workflow}": {
    params: {
      /** Id of a workflow. */
      workflow: string;
    };
    query: Record<never, never>;
    body: {
      name?: string;
      description?: string;
      /** Who may start the workflow by hand: with `tags` users who share a tag with it, with `owner` only its owner. Admins always may. */
      run_by?: "tags" | "owner";
    };
    answer: Shapes["WorkflowDetail"];
  };
  "DELETE /manager/api/workflows/{workflow}": {
    params: {
      /** Id of a workflow. */
      workflow: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      id: string;
      name: string;
    };
  };
  "POST /manager/api/workflows/{workflow}/enable": {
    params: {
      /** Id of a workflow. */
      workflow: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["WorkflowDetail"];
  };
  "POST /manager/api/workflows/{workflow}/disable": {
    params: {
      /** Id of a workflow. */
      workflow: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["WorkflowDetail"];
  };
  "PUT /manager/api/workflows/{workflow}/draft": {
    params: {
      /** Id of a workflow. */
      workflow: string;
    };
    query: Record<never, never>;
    body: {
      /** The revision of the draft that was read. If the draft has another one: 409 `conflict`. */
      revision: number;
      /** The body of the workflow: `{schema, triggers, nodes, edges, settings, layout, comments}`. At most 1 MiB. */
      body: unknown;
    };
    answer: {
      id: string;
      name: string;
      description: string;
      /** Users who share a tag see the workflow. Its owner and admins see all tags, others only their own. */
      tags: Array<string>;
      /** Triggers of a disabled workflow do not fire. It can be started by hand. */
      enabled: boolean;
      /** The number of publications; 0 if it never was. */
      version: number;
      /** Who may start the workflow by hand: with `tags` users who share a tag with it, with `owner` only its owner. Admins always may. */
      run_by: "tags" | "owner";
      /** `manage` for its owner and for admins, `accept` for the user who was offered it, `see` for users who share a tag with it. */
      access: "manage" | "accept" | "see";
      /** Whether the caller may start it by hand. */
      may_start: boolean;
      /** A workflow whose owner is not an active user does not run. */
      has_active_owner: boolean;
      /** Null for callers who only share a tag. */
      owner: Shapes["WorkflowUser"] | null;
      /** The user to whom the workflow is offered. Null for callers who share a tag. */
      pending_owner: Shapes["WorkflowUser"] | null;
      /** Null for callers who only share a tag. */
      draft: Shapes["WorkflowDraft"] | null;
      created_at: string;
      updated_at: string;
      /** The body of the draft. Null for callers who only share a tag. */
      body: unknown;
      /** The secrets that are set or needed. Null for callers who only share a tag. */
      secrets: Array<Shapes["WorkflowSecret"]> | null;
      problems: Array<Shapes["WorkflowProblem"]>;
    };
  };
  "POST /manager/api/workflows/{workflow}/validate": {
    params: {
      /** Id of a workflow. */
      workflow: string;
    };
    query: Record<never, never>;
    body: {
      /** The body of the workflow: `{schema, triggers, nodes, edges, settings, layout, comments}`. At most 1 MiB. */
      body?: unknown;
    };
    answer: {
      problems: Array<Shapes["WorkflowProblem"]>;
      opened: Array<Shapes["WorkflowOpened"]>;
    };
  };
  "POST /manager/api/workflows/{workflow}/publish": {
    params: {
      /** Id of a workflow. */
      workflow: string;
    };
    query: Record<never, never>;
    body: {
      /** The revision of the draft that was read. If the draft has another one: 409 `conflict`. */
      revision: number;
      note?: string;
    };
    answer: {
      id: string;
      name: string;
      description: string;
      /** Users who share a tag see the workflow. Its owner and admins see all tags, others only their own. */
      tags: Array<string>;
      /** Triggers of a disabled workflow do not fire. It can be started by hand. */
      enabled: boolean;
      /** The number of publications; 0 if it never was. */
      version: number;
      /** Who may start the workflow by hand: with `tags` users who share a tag with it, with `owner` only its owner. Admins always may. */
      run_by: "tags" | "owner";
      /** `manage` for its owner and for admins, `accept` for the user who was offered it, `see` for users who share a tag with it. */
      access: "manage" | "accept" | "see";
      /** Whether the caller may start it by hand. */
      may_start: boolean;
      /** A workflow whose owner is not an active user does not run. */
      has_active_owner: boolean;
      /** Null for callers who only share a tag. */
      owner: Shapes["WorkflowUser"] | null;
      /** The user to whom the workflow is offered. Null for callers who share a tag. */
      pending_owner: Shapes["WorkflowUser"] | null;
      /** Null for callers who only share a tag. */
      draft: Shapes["WorkflowDraft"] | null;
      created_at: string;
      updated_at: string;
      /** The body of the draft. Null for callers who only share a tag. */
      body: unknown;
      /** The secrets that are set or needed. Null for callers who only share a tag. */
      secrets: Array<Shapes["WorkflowSecret"]> | null;
      problems: Array<Shapes["WorkflowProblem"]>;
      opened: Array<Shapes["WorkflowOpened"]>;
    };
  };
  "POST /manager/api/workflows/{workflow}/preview": {
    params: {
      /** Id of a workflow. */
      workflow: string;
    };
    query: Record<never, never>;
    body: {
      template: string;
      /** Id of a run. */
      run?: string;
    };
    answer: Shapes["WorkflowPreview"];
  };
  "GET /manager/api/workflows/{workflow}/versions": {
    params: {
      /** Id of a workflow. */
      workflow: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      versions: Array<Shapes["WorkflowVersion"]>;
    };
  };
  "GET /manager/api/workflows/{workflow}/versions/{version}": {
    params: {
      /** Id of a workflow. */
      workflow: string;
      /** Number of a version. */
      version: number;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      version: number;
      note: string;
      published_by: Shapes["WorkflowUser"];
      published_at: string;
      /** Whether runs use this version. */
      is_published: boolean;
      /** Whether the draft is the same. */
      is_draft: boolean;
      /** The body of the workflow: `{schema, triggers, nodes, edges, settings, layout, comments}`. At most 1 MiB. */
      body: unknown;
    };
  };
  "POST /manager/api/workflows/{workflow}/versions/{version}/restore": {
    params: {
      /** Id of a workflow. */
      workflow: string;
      /** Number of a version. */
      version: number;
    };
    query: Record<never, never>;
    body: {
      /** The revision of the draft that was read. If the draft has another one: 409 `conflict`. */
      revision: number;
    };
    answer: Shapes["WorkflowDetail"];
  };
  "GET /manager/api/workflows/{workflow}/diff": {
    params: {
      /** Id of a workflow. */
      workflow: string;
    };
    query: {
      /** `draft`, `published` or the number of a version. The default is `published`. */
      from?: string;
      /** The same. The default is `draft`. */
      to?: string;
    };
    body: undefined;
    answer: {
      from: string;
      to: string;
      difference: Shapes["WorkflowDifference"];
    };
  };
  "GET /manager/api/workflows/{workflow}/explanation": {
    params: {
      /** Id of a workflow. */
      workflow: string;
    };
    query: {
      /** `draft`, or the number of a version. */
      version?: string;
    };
    body: undefined;
    answer: Shapes["WorkflowExplanation"];
  };
  "GET /manager/api/workflows/{workflow}/export": {
    params: {
      /** Id of a workflow. */
      workflow: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["WorkflowExport"];
  };
  "GET /manager/api/workflows/{workflow}/opened": {
    params: {
      /** Id of a workflow. */
      workflow: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      published: Array<Shapes["WorkflowOpened"]>;
      draft: Array<Shapes["WorkflowOpened"]>;
    };
  };
  "PUT /manager/api/workflows/{workflow}/tags": {
    params: {
      /** Id of a workflow. */
      workflow: string;
    };
    query: Record<never, never>;
    body: {
      tags: Array<string>;
    };
    answer: Shapes["WorkflowDetail"];
  };
  "GET /manager/api/workflows/{workflow}/secrets": {
    params: {
      /** Id of a workflow. */
      workflow: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      secrets: Array<Shapes["WorkflowSecret"]>;
    };
  };
  "PUT /manager/api/workflows/{workflow}/secrets/{secret}": {
    params: {
      /** Id of a workflow. */
      workflow: string;
      secret: string;
    };
    query: Record<never, never>;
    body: {
      value: string;
    };
    answer: {
      secrets: Array<Shapes["WorkflowSecret"]>;
    };
  };
  "DELETE /manager/api/workflows/{workflow}/secrets/{secret}": {
    params: {
      /** Id of a workflow. */
      workflow: string;
      secret: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      secrets: Array<Shapes["WorkflowSecret"]>;
    };
  };
  "GET /manager/api/workflows/{workflow}/ticks": {
    params: {
      /** Id of a workflow. */
      workflow: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      triggers: Array<Shapes["WorkflowTicks"]>;
    };
  };
  "GET /manager/api/workflows/{workflow}/scheduled": {
    params: {
      /** Id of a workflow. */
      workflow: string;
    };
    query: {
      limit?: number;
      /** The `next` of the previous page. */
      after?: string;
    };
    body: undefined;
    answer: {
      runs: Array<Shapes["WorkflowScheduledRun"]>;
      /** The `after` of the next page; null on the last page. */
      next: string | null;
    };
  };
  "PATCH /manager/api/workflows/{workflow}/scheduled/{run}": {
    params: {
      /** Id of a workflow. */
      workflow: string;
      /** Id of a run that waits for its time. */
      run: string;
    };
    query: Record<never, never>;
    body: {
      /** ISO 8601 with an offset, or Unix seconds. At least one second ahead. */
      scheduled_at: string | number;
    };
    answer: Shapes["WorkflowScheduledRun"];
  };
  "DELETE /manager/api/workflows/{workflow}/scheduled/{run}": {
    params: {
      /** Id of a workflow. */
      workflow: string;
      /** Id of a run that waits for its time. */
      run: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["WorkflowScheduledRun"];
  };
  "GET /manager/api/workflows/{workflow}/webhooks": {
    params: {
      /** Id of a workflow. */
      workflow: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      webhooks: Array<Shapes["WorkflowWebhook"]>;
    };
  };
  "GET /manager/api/workflows/{workflow}/deliveries": {
    params: {
      /** Id of a workflow. */
      workflow: string;
    };
    query: {
      limit?: number;
      /** The `next` of the previous page. */
      after?: string;
      /** Id of a webhook trigger. */
      trigger?: string;
      outcome?: "accepted" | "refused";
    };
    body: undefined;
    answer: {
      deliveries: Array<Shapes["WebhookDelivery"]>;
      /** The `after` of the next page; null on the last page. */
      next: string | null;
    };
  };
  "POST /manager/api/workflows/{workflow}/offer": {
    params: {
      /** Id of a workflow. */
      workflow: string;
    };
    query: Record<never, never>;
    body: {
      /** E-mail of an active user. */
      owner: string;
    };
    answer: Shapes["WorkflowDetail"];
  };
  "DELETE /manager/api/workflows/{workflow}/offer": {
    params: {
      /** Id of a workflow. */
      workflow: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["Workflow"];
  };
  "POST /manager/api/workflows/{workflow}/accept": {
    params: {
      /** Id of a workflow. */
      workflow: string;
    };
    query: Record<never, never>;
    body: {
      /** The `updated_at` that was read. If the workflow has changed since: 409 `conflict`. */
      updated_at: string;
    };
    answer: Shapes["WorkflowDetail"];
  };
  "GET /manager/api/workflows/{workflow}/manual": {
    params: {
      /** Id of a workflow. */
      workflow: string;
    };
    query: {
      /** Whose triggers are listed. `draft` is for the owner and for admins. */
      body?: "published" | "draft";
    };
    body: undefined;
    answer: {
      triggers: Array<Shapes["WorkflowManualTrigger"]>;
    };
  };
  "GET /manager/api/workflows/{workflow}/runs": {
    params: {
      /** Id of a workflow. */
      workflow: string;
    };
    query: {
      limit?: number;
      /** The `next` of the previous page. */
      after?: string;
      /** `queued` waits for room or for its time, `waiting` for a time, a person or another run. `dropped` was refused by the queue policy. `unknown` is a dry run that could not go on everywhere, because it does not know what a step would return. The last five are final. */
      state?: "queued" | "running" | "waiting" | "succeeded" | "failed" | "cancelled" | "dropped" | "unknown";
      /** Id of the trigger. */
      trigger?: string;
      /** Only runs that began at this time or later. */
      from?: string;
      /** Only runs that began before this time. */
      to?: string;
    };
    body: undefined;
    answer: {
      runs: Array<Shapes["WorkflowRun"]>;
      /** The `after` of the next page; null on the last page. */
      next: string | null;
    };
  };
  "POST /manager/api/workflows/{workflow}/runs": {
    params: {
      /** Id of a workflow. */
      workflow: string;
    };
    query: Record<never, never>;
    body: {
      /** Makes reads only. Everything with side effects (a destructive operation, other methods than GET and HEAD, messages, answers, runs of other workflows) is recorded with its rendered input and `would_call`. Its output is a pinned one, else a sample of the operation's result, else unknown: what follows from an unknown output does not run, and the run ends as `unknown`. */
      dry_run?: boolean;
      /** Runs this node alone. The outputs that it reads come from `pins` and `pins_from`. Without `dry_run`, the node really runs. */
      only_node?: string;
      /** Outputs that stand in for those of nodes, by node id: at most 1 MiB each, and 4 MiB together. Of a node with `for_each`, the list of the outputs of its items. Of a branch or a switch, its output, which is the case. Of an approval, the case as a text, or an object with `case`. */
      pins?: Record<string, unknown>;
      /** A run of this workflow. With `only_node`, its outputs are those of the other nodes. With `dry_run`, they stand in for the outputs of steps with side effects. Without `payload` and `trigger_id`, its event is the event. */
      pins_from?: string;
      /** The manual trigger. Needed if there are several. With `draft` also another trigger. */
      trigger_id?: string;
      /** An object: the fields of the trigger. For a trigger without fields, what `.Event.Payload` is. */
      payload?: unknown;
      /** Whether the draft runs. For the owner and for admins. */
      draft?: boolean;
      /** Whether a failure of a run of the draft starts error triggers of published workflows. The default is false. Other runs always start them. */
      error_triggers?: boolean;
      /** How long to wait for the end of the run. */
      wait_s?: number;
    };
    answer: Shapes["WorkflowOutcome"];
  };
  "GET /manager/api/workflows/{workflow}/runs/{run}": {
    params: {
      /** Id of a workflow. */
      workflow: string;
      /** Id of a run. */
      run: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["WorkflowRunDetail"];
  };
  "GET /manager/api/workflows/{workflow}/runs/{run}/body": {
    params: {
      /** Id of a workflow. */
      workflow: string;
      /** Id of a run. */
      run: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      /** Null for a run of the draft. */
      version: number | null;
      /** As it was when the run was made. */
      body: unknown;
    };
  };
  "GET /manager/api/workflows/{workflow}/runs/{run}/diagnosis": {
    params: {
      /** Id of a workflow. */
      workflow: string;
      /** Id of a run. */
      run: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["WorkflowDiagnosis"];
  };
  "GET /manager/api/workflows/{workflow}/runs/{run}/events": {
    params: {
      /** Id of a workflow. */
      workflow: string;
      /** Id of a run. */
      run: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["WorkflowRunEvents"];
  };
  "POST /manager/api/workflows/{workflow}/runs/{run}/cancel": {
    params: {
      /** Id of a workflow. */
      workflow: string;
      /** Id of a run. */
      run: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      id: string;
      /** `soon` if a server works on the run, which ends it. */
      cancelled: "now" | "soon";
    };
  };
  "POST /manager/api/workflows/{workflow}/runs/{run}/replay": {
    params: {
      /** Id of a workflow. */
      workflow: string;
      /** Id of a run. */
      run: string;
    };
    query: Record<never, never>;
    body: {
      /** Whether the draft runs. For the owner and for admins. */
      draft?: boolean;
      /** Whether a failure of a run of the draft starts error triggers of published workflows. The default is false. Other runs always start them. */
      error_triggers?: boolean;
      /** Whether the new run is a dry run. The outputs of the earlier run stand in for those of steps with side effects. */
      dry_run?: boolean;
    };
    answer: Shapes["WorkflowOutcome"];
  };
  "GET /manager/api/workflows/{workflow}/runs/{run}/resume": {
    params: {
      /** Id of a workflow. */
      workflow: string;
      /** Id of a run. */
      run: string;
    };
    query: {
      /** `then` is the body of the run. With another one, steps are taken over only of nodes that have not changed, and whose nodes before have not. */
      body?: "then" | "draft" | "published";
    };
    body: undefined;
    answer: Shapes["WorkflowResume"];
  };
  "POST /manager/api/workflows/{workflow}/runs/{run}/resume": {
    params: {
      /** Id of a workflow. */
      workflow: string;
      /** Id of a run. */
      run: string;
    };
    query: Record<never, never>;
    body: {
      /** `then` is the body of the run. With another one, steps are taken over only of nodes that have not changed, and whose nodes before have not. */
      body?: "then" | "draft" | "published";
      decisions?: Array<Shapes["WorkflowDecision"]>;
    };
    answer: Shapes["WorkflowResumed"];
  };
  "GET /manager/api/approvals": {
    params: Record<never, never>;
    query: {
      limit?: number;
      /** The `next` of the previous page. */
      after?: string;
      /** `pending` waits for a decision. `expired` had none in time. `cancelled` belongs to a run that ended before. All but `pending` are final. */
      state?: "pending" | "approved" | "denied" | "expired" | "cancelled";
      /** Id of a workflow. */
      workflow?: string;
      /** Id of a run. */
      run?: string;
      /** `true`: only those of which the caller is an approver. */
      mine?: "true" | "false";
    };
    body: undefined;
    answer: {
      approvals: Array<Shapes["WorkflowApproval"]>;
      /** The `after` of the next page; null on the last page. */
      next: string | null;
    };
  };
  "GET /manager/api/approvals/{approval}": {
    params: {
      /** Id of an approval. */
      approval: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["WorkflowApprovalDetail"];
  };
  "POST /manager/api/approvals/{approval}/decide": {
    params: {
      /** Id of an approval. */
      approval: string;
    };
    query: Record<never, never>;
    body: {
      decision: "approved" | "denied";
      /** The hash of what was shown. Another one is refused with `conflict`. */
      hash: string;
      comment?: string;
    };
    answer: Shapes["WorkflowApprovalDetail"];
  };
  "GET /admin/api/users": {
    params: Record<never, never>;
    query: {
      limit?: number;
      /** The `next` of the previous page. */
      after?: string;
    };
    body: undefined;
    answer: {
      users: Array<Shapes["User"]>;
      /** The `after` of the next page; null on the last page. */
      next: string | null;
    };
  };
  "POST /admin/api/users": {
    params: Record<never, never>;
    query: Record<never, never>;
    body: {
      email: string;
      name?: string;
      role?: "admin" | "user";
      tags?: Array<string>;
    };
    answer: Shapes["User"];
  };
  "GET /admin/api/users/{user}": {
    params: {
      /** Id of a user. */
      user: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["User"];
  };
  "PATCH /admin/api/users/{user}": {
    params: {
      /** Id of a user. */
      user: string;
    };
    query: Record<never, never>;
    body: {
      name?: string;
      role?: "admin" | "user";
      /** Replaces all tags. */
      tags?: Array<string>;
      /** Keeps the other tags, also those that another admin adds at the same time. */
      add_tags?: Array<string>;
      remove_tags?: Array<string>;
    };
    answer: Shapes["User"];
  };
  "POST /admin/api/users/{user}/enable": {
    params: {
      /** Id of a user. */
      user: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["User"];
  };
  "POST /admin/api/users/{user}/disable": {
    params: {
      /** Id of a user. */
      user: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["User"];
  };
  "POST /admin/api/users/{user}/unlock": {
    params: {
      /** Id of a user. */
      user: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["User"];
  };
  "POST /admin/api/users/{user}/one-time-password": {
    params: {
      /** Id of a user. */
      user: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      email: string;
      one_time_password: string;
    };
  };
  "POST /admin/api/users/{user}/sessions/end": {
    params: {
      /** Id of a user. */
      user: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      ended: number;
    };
  };
  "GET /admin/api/users/{user}/rows": {
    params: {
      /** Id of a user. */
      user: string;
    };
    query: {
      limit?: number;
      /** The `next` of the previous page. */
      after?: string;
    };
    body: undefined;
    answer: {
      rows: Array<Shapes["Row"]>;
      /** The `after` of the next page; null on the last page. */
      next: string | null;
    };
  };
  "GET /admin/api/users/{user}/identities": {
    params: {
      /** Id of a user. */
      user: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      identities: Array<Shapes["Identity"]>;
    };
  };
  "DELETE /admin/api/users/{user}/identities/{identity}": {
    params: {
      /** Id of a user. */
      user: string;
      /** Id of an identity. */
      identity: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      identities: Array<Shapes["Identity"]>;
    };
  };
  "GET /admin/api/users/{user}/chat-accounts": {
    params: {
      /** Id of a user. */
      user: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      accounts: Array<Shapes["ChatAccount"]>;
    };
  };
  "DELETE /admin/api/users/{user}/chat-accounts/{account}": {
    params: {
      /** Id of a user. */
      user: string;
      /** Id of a chat account. */
      account: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["ChatAccount"];
  };
  "GET /admin/api/refused-sign-ins": {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["RefusedSignIns"];
  };
  "GET /admin/api/tags": {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: {
      tags: Array<{
        name: string;
        users: number;
        rows: number;
      }>;
    };
  };
  "GET /admin/api/tokens": {
    params: Record<never, never>;
    query: {
      limit?: number;
      /** The `next` of the previous page. */
      after?: string;
      /** Id of a user. */
      user?: string;
    };
    body: undefined;
    answer: {
      tokens: Array<Shapes["Token"]>;
      /** The `after` of the next page; null on the last page. */
      next: string | null;
    };
  };
  "POST /admin/api/tokens/{token}/revoke": {
    params: {
      /** Id of a token. */
      token: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["Token"];
  };
  "GET /admin/api/sessions": {
    params: Record<never, never>;
    query: {
      limit?: number;
      /** The `next` of the previous page. */
      after?: string;
      /** Id of a user. */
      user?: string;
    };
    body: undefined;
    answer: {
      sessions: Array<Shapes["Session"]>;
      /** The `after` of the next page; null on the last page. */
      next: string | null;
    };
  };
  "POST /admin/api/sessions/{session}/end": {
    params: {
      /** Id of a session. */
      session: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      id: string;
    };
  };
  "GET /admin/api/applications": {
    params: Record<never, never>;
    query: {
      limit?: number;
      /** The `next` of the previous page. */
      after?: string;
      /** Id of a user. */
      user?: string;
    };
    body: undefined;
    answer: {
      applications: Array<Shapes["Application"]>;
      /** The `after` of the next page; null on the last page. */
      next: string | null;
    };
  };
  "POST /admin/api/applications/{application}/revoke": {
    params: {
      /** Id of a connected application. */
      application: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["Application"];
  };
  "GET /admin/api/status": {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["Status"];
  };
  "GET /admin/api/doctor": {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: {
      /** True if no check failed. There may be warnings. */
      ok: boolean;
      checks: Array<Shapes["Check"]>;
    };
  };
  "GET /admin/api/settings": {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: {
      settings: Array<Shapes["Setting"]>;
    };
  };
  "PUT /admin/api/settings/{setting}": {
    params: {
      /** The variable, such as `HUB_AUDIT_RETENTION_DAYS`. */
      setting: string;
    };
    query: Record<never, never>;
    body: {
      value: string | number;
      /** The value that was read. If the setting has another one since: 409 `conflict` with its `value`, `changed_by` and `changed_at`. */
      from?: string | null;
    };
    answer: Shapes["Setting"];
  };
  "DELETE /admin/api/settings/{setting}": {
    params: {
      /** The variable, such as `HUB_AUDIT_RETENTION_DAYS`. */
      setting: string;
    };
    query: {
      /** The value that was read. If the setting has another one since: 409 `conflict`. */
      from?: string;
    };
    body: undefined;
    answer: Shapes["Setting"];
  };
  "GET /admin/api/changes": {
    params: Record<never, never>;
    query: {
      actor_id?: string;
      /** Such as `row.update`. */
      action?: string;
      /** Such as `row` or `workflow`. */
      target_kind?: string;
      target_id?: string;
      /** Changes made at this time or later; RFC 3339. */
      from?: string;
      /** Changes made before this time; RFC 3339. */
      to?: string;
      /** The `next` of the previous page. */
      before?: string;
      limit?: number;
    };
    body: undefined;
    answer: {
      changes: Array<Shapes["Change"]>;
      /** The `before` of the next page; null on the last page. */
      next: string | null;
    };
  };
  "GET /profile/api/me": {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: {
      user: Shapes["User"];
      /** Signed-in pages send it as X-CSRF-Token with each change; null if the request used a personal access token. */
      csrf_token: string | null;
      /** The address for MCP clients. */
      mcp_url: string;
    };
  };
  "GET /profile/api/tokens": {
    params: Record<never, never>;
    query: {
      limit?: number;
      /** The `next` of the previous page. */
      after?: string;
    };
    body: undefined;
    answer: {
      tokens: Array<Shapes["Token"]>;
      /** The `after` of the next page; null on the last page. */
      next: string | null;
    };
  };
  "POST /profile/api/tokens": {
    params: Record<never, never>;
    query: Record<never, never>;
    body: {
      name: string;
      /** The default is `mcp`. */
      scope?: "mcp" | "manage";
      /** 1 to 3650. By default the token does not expire. */
      expires_in_days?: number;
    };
    answer: Shapes["CreatedToken"];
  };
  "POST /profile/api/tokens/{token}/revoke": {
    params: {
      /** Id of a token. */
      token: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["Token"];
  };
  "GET /profile/api/sessions": {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: {
      sessions: Array<{
        id: string;
        /** E-mail of the user who is signed in. */
        user: string;
        created_at: string;
        last_seen_at: string;
        expires_at: string;
        ip_address: string | null;
        user_agent: string | null;
        /** The session of this request. */
        current: boolean;
      }>;
    };
  };
  "POST /profile/api/sessions/end-others": {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: {
      ended: number;
    };
  };
  "POST /profile/api/sessions/{session}/end": {
    params: {
      /** Id of a session. */
      session: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      id: string;
    };
  };
  "GET /profile/api/identities": {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: {
      identities: Array<Shapes["Identity"]>;
    };
  };
  "GET /profile/api/chat-accounts": {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: {
      accounts: Array<Shapes["ChatAccount"]>;
      /** The link that was begun in this browser and is not finished. */
      link: Shapes["ChatLink"] | null;
    };
  };
  "POST /profile/api/chat-accounts/links": {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["CreatedChatLink"];
  };
  "POST /profile/api/chat-accounts/links/{link}/confirm": {
    params: {
      /** Id of a link. */
      link: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["ChatAccount"];
  };
  "DELETE /profile/api/chat-accounts/links/{link}": {
    params: {
      /** Id of a link. */
      link: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: {
      id: string;
    };
  };
  "DELETE /profile/api/chat-accounts/{account}": {
    params: {
      /** Id of a chat account. */
      account: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["ChatAccount"];
  };
  "GET /profile/api/applications": {
    params: Record<never, never>;
    query: Record<never, never>;
    body: undefined;
    answer: {
      applications: Array<Shapes["Application"]>;
    };
  };
  "POST /profile/api/applications/{application}/revoke": {
    params: {
      /** Id of a connected application. */
      application: string;
    };
    query: Record<never, never>;
    body: undefined;
    answer: Shapes["Application"];
  };
  "GET /profile/api/runs": {
    params: Record<never, never>;
    query: {
      status?: "running" | "success" | "error" | "denied" | "cancelled";
      source?: "mcp" | "test" | "retry" | "workflow";
      /** Key of an operation. */
      operation?: string;
      /** A text in the error message or its code; ASCII letters match in both cases. Searches your own runs only, unless you are an admin. */
      error?: string;
      /** Runs that started at this time or later; RFC 3339. */
      from?: string;
      /** Runs that started before this time; RFC 3339. */
      to?: string;
      /** The `next` of the previous page. */
      before?: string;
      limit?: number;
      /** Id of a row, also of a deleted one. */
      row?: string;
      /** Key of a connector: runs of its present rows. */
      connector?: string;
    };
    body: undefined;
    answer: Shapes["RunPage"];
  };
  "GET /profile/api/runs/counts": {
    params: Record<never, never>;
    query: {
      status?: "running" | "success" | "error" | "denied" | "cancelled";
      source?: "mcp" | "test" | "retry" | "workflow";
      /** Key of an operation. */
      operation?: string;
      /** A text in the error message or its code; ASCII letters match in both cases. Searches your own runs only, unless you are an admin. */
      error?: string;
      /** Runs that started at this time or later; RFC 3339. */
      from?: string;
      /** Runs that started before this time; RFC 3339. */
      to?: string;
      /** Id of a row, also of a deleted one. */
      row?: string;
      /** Key of a connector: runs of its present rows. */
      connector?: string;
    };
    body: undefined;
    answer: Shapes["RunCounts"];
  };
};
