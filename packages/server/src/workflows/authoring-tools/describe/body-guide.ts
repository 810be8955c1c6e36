/** How a body is written, for a reader that has nothing else. A part of the description of tools. */
export const bodyGuide = `body is {"triggers": [], "nodes": [], "edges": [], "settings": {}}:
- trigger {id, type, entry, label?}: starts runs at the node whose id is entry. Types: manual {input?}, webhook {path?, method?, secret_ref?, respond_mode?}, cron {schedule, timezone?} with six fields, seconds first ("0 30 6 * * *" is 6:30 every day), error {source_workflow, severity?} for failures of another workflow, published or not, schedule_at, channel. An error has the payload {run_id, workflow_id, node_id, error: {message, code}}.
- node {id, type, label?}: one step. operation {tool_id, params} calls any tool of hub_search; branch {conditions: [{left, op, right}]} has the cases true and false, with op eq, ne, lt, le, gt, ge, contains, in, is_empty and others; switch {value, cases: [{case, op, right}]}; set {value} builds JSON; code {source}: the body of a JavaScript function with event, node and env that returns JSON: "return {sum: event.Payload.body.items.length}"; webhook_respond {respond_status, respond_body}; fail {message}; http, wait, approval, workflow, channel. ids begin with a letter, have a-z, 0-9 and _, and are unique over triggers and nodes; label is a name for people.
- edge {from, to, case?}: to runs after from. Edges of branch, switch and approval need their case.
- settings {timeout_s?, severity?, env?, queue?}.
Texts of nodes are templates: "{{.Event.Payload.body.name}}" (a webhook's JSON body), "{{.Node.fetch.body.items}}" (the output of the node fetch), "{{.Env.NAME}}", "{{.Secret.NAME}}". A field that is one template and nothing else keeps its type.`;

/** The data and the grammar of templates, in the size of a model's answer. */
export const templateGuide = {
  data: {
    ".Event.Payload": "what started the run: of a webhook {method, path, headers, query, body}",
    ".Event": "also Type, TriggerID, Source, User, At",
    ".Node.ID": "the output of an earlier node. Of a row's http operation {status, headers, body}",
    ".Env.NAME": "an entry of settings.env",
    ".Secret.NAME":
      "a secret of the workflow. Print it as it is or by basicAuth; functions may not change it",
    ".Run.ID, .Workflow.ID": "the run and its workflow",
    ".Item, .Index": "in a node with for_each",
  },
  rules: [
    'A field that is one template ("{{.Node.list.items}}") keeps the type: list, number, object. Otherwise it is text.',
    'A name with other characters: {{index .Event.Payload.headers "x-github-event"}}.',
    'What is missing prints "<no value>". Give a fallback: {{.Event.Payload.name | default "nobody"}}.',
    "Nodes that do not run in every run must be tested: {{if .Node.a}}{{.Node.a.x}}{{else}}none{{end}}.",
    "There is no arithmetic: compute in a code node.",
    'gt, lt, eq and so on fail for a text and a number, such as "12" and 10. The conditions of branch and switch compare them.',
    'To build JSON in a text, use toJSON: {"name": {{toJSON .Event.Payload.body.name}}}.',
  ],
  examples: {
    "{{if gt .Event.Payload.body.count 2}}many{{else}}few{{end}}": "few or many",
    "{{range $i, $x := .Node.list.items}}{{if $i}}, {{end}}{{$x.title}}{{end}}": "a, b",
    '{{.Event.Payload.body.name | upper | printf "%s!"}}': "ANN!",
    '{{date "2006-01-02" "Europe/Berlin" .Event.At}}': "2026-03-07",
    "{{(fromJSON .Event.Payload.raw).ok}}": "true",
  },
} as const;
