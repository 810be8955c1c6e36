//! Uses a hub as a program with the official Rust SDK does: `session URL TOKEN ROW`, `stateless URL TOKEN ROW` or
//! `stdio ROW COMMAND…`, where ROW is the id of a row of the fixture connector. Prints a line for each step; fails at the
//! first that is wrong.
use std::{env::args, process::exit, time::Duration};

use rmcp::{
    ClientHandler, ClientLifecycleMode, ClientServiceExt, RoleClient, ServiceError,
    model::{
        CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, JsonObject, PingRequest,
        ProgressNotificationParam, ProtocolVersion,
    },
    service::{NotificationContext, PeerRequestOptions, RunningService},
    transport::{
        StreamableHttpClientTransport, TokioChildProcess,
        streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use serde_json::{Value, json};
use tokio::{process::Command, sync::mpsc, time::timeout};

const NAME: &str = "Zoë 日本 \u{1F680} שלום";
const PATIENCE: Duration = Duration::from_secs(120);

/// Passes on the progress that the hub reports.
struct Listener(mpsc::UnboundedSender<ProgressNotificationParam>);

impl ClientHandler for Listener {
    async fn on_progress(&self, report: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let _ = self.0.send(report);
    }
}

type Client = RunningService<RoleClient, Listener>;
type Reports = mpsc::UnboundedReceiver<ProgressNotificationParam>;

#[tokio::main]
async fn main() {
    let given: Vec<String> = args().skip(1).collect();
    let (sender, reports) = mpsc::unbounded_channel();
    let mode = given[0].as_str();
    let lifecycle = || match mode {
        "session" => ClientLifecycleMode::Initialize,
        _ => ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] },
    };
    let (client, row) = if mode == "stdio" {
        let mut command = Command::new(&given[2]);
        command.args(&given[3..]);
        let (process, _) = TokioChildProcess::builder(command).stderr(std::process::Stdio::null()).spawn().expect("start");
        (Listener(sender).serve_with_lifecycle(process, lifecycle()).await, given[1].clone())
    } else {
        let refused = Listener(mpsc::unbounded_channel().0);
        let unknown = open_http(&given[1], "hub_pat_00000000000000000000000000000000");
        match refused.serve_with_lifecycle(unknown, lifecycle()).await {
            Ok(_) => check("an unknown token", false, "it was accepted"),
            Err(err) => check("an unknown token", err.is_authorization_required(), &err.to_string()),
        }
        let transport = open_http(&given[1], &given[2]);
        (Listener(sender).serve_with_lifecycle(transport, lifecycle()).await, given[3].clone())
    };
    let client = client.unwrap_or_else(|err| fail("the client connects", &err.to_string()));
    check_all(&client, &row, mode, reports).await;
    let ended = client.cancel().await;
    check("the client ends", ended.is_ok(), "");
}

fn open_http(url: &str, token: &str) -> impl rmcp::transport::Transport<RoleClient> + use<> {
    let config = StreamableHttpClientTransportConfig::with_uri(format!("{url}/mcp")).auth_header(token);
    StreamableHttpClientTransport::from_config(config)
}

async fn check_all(client: &Client, row: &str, mode: &str, mut reports: Reports) {
    let info = client.peer_info().unwrap_or_else(|| fail("the hub's description", ""));
    let shown = serde_json::to_value(&*info).expect("JSON");
    check("the hub's description", shown.to_string().contains("\"name\":\"hub\""), &shown["protocolVersion"].to_string());
    check("instructions", shown["instructions"].to_string().contains("hub_search"), "");
    if mode == "session" {
        let answer = client.send_request(ClientRequest::PingRequest(PingRequest::default())).await;
        check("ping", answer.is_ok(), "");
    }
    let tools = client.list_all_tools().await.unwrap_or_else(|err| fail("list of tools", &err.to_string()));
    let mut names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    names.sort();
    let expected = ["hub_decrypt", "hub_encrypt", "hub_execute", "hub_get", "hub_info", "hub_list", "hub_read", "hub_search"];
    check("list of tools", names == expected, &names.join(" "));

    let greet = format!("conn:{row}/greet");
    let found = call(client, "hub_search", json!({ "query": "greets a person" })).await;
    check("hub_search", to_value(&found)["tools"][0]["tool_id"] == greet.as_str(), "");
    let greeting = execute(client, &greet, json!({ "name": NAME, "times": 2 })).await;
    let wanted = json!({ "greeting": format!("Hello {NAME}"), "times": 2 });
    check("hub_execute, text", to_value(&greeting) == wanted, to_text(&greeting));
    check("hub_execute, structured", greeting.structured_content == Some(wanted), "");
    check("hub_execute, no error", greeting.is_error != Some(true), "");

    let operation = |name: &str| format!("conn:{row}/{name}");
    check_error("error of an operation", &execute(client, &operation("refuse"), json!({})).await, "upstream_error");
    check_error("a wrong argument", &execute(client, &greet, json!({ "nam": "Ada" })).await, "invalid_params");
    let many = execute(client, &greet, json!({ "name": "Ada", "times": "many" })).await;
    check_error("an argument of another type", &many, "invalid_params");
    check_error("an unknown operation", &execute(client, &operation("none"), json!({})).await, "not_found");
    check_error("a time limit", &execute(client, &operation("overrun"), json!({})).await, "timeout");
    match client.call_tool(to_call("hub_serch", json!({}))).await {
        Err(ServiceError::McpError(err)) => {
            check("an unknown tool", err.code.0 == -32602 && err.message.contains("hub_search"), &err.message)
        }
        other => fail("an unknown tool", &format!("{other:?}")),
    }

    while reports.try_recv().is_ok() {}
    let counted = execute(client, &operation("count"), json!({})).await;
    check("an answer with progress", to_text(&counted) == r#"{"counted":3}"#, "");
    // The SDK handles each report in a task of its own: in any order, and maybe after the answer.
    let mut seen = Vec::new();
    while seen.len() < 3 {
        let report = next(&mut reports, "three reports of progress").await;
        seen.push((report.progress as u32, report.total, report.message.unwrap_or_default()));
    }
    seen.sort_by_key(|(progress, ..)| *progress);
    let is_right = seen.iter().zip(1..).all(|((progress, total, message), step)| {
        *progress == step && *total == Some(3.0) && message.starts_with(&format!("step {step} with hub_enc_"))
    });
    check("three reports of progress", is_right, &format!("{seen:?}"));

    let params = to_call("hub_execute", json!({ "tool_id": operation("wait"), "params": {} }));
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
    let handle = client.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
    let handle = handle.unwrap_or_else(|err| fail("a call to cancel", &err.to_string()));
    next(&mut reports, "a call to cancel").await;
    let cancelled = handle.cancel(Some("Enough.".into())).await;
    check("the client cancels", cancelled.is_ok(), "");
    let after = call(client, "hub_info", json!({})).await;
    check("the connection stays usable", after.is_error != Some(true), "");
}

async fn next(reports: &mut Reports, step: &str) -> ProgressNotificationParam {
    match timeout(PATIENCE, reports.recv()).await {
        Ok(Some(report)) => report,
        _ => fail(step, "no progress arrived"),
    }
}

async fn execute(client: &Client, tool_id: &str, params: Value) -> CallToolResult {
    call(client, "hub_execute", json!({ "tool_id": tool_id, "params": params })).await
}

async fn call(client: &Client, name: &'static str, args: Value) -> CallToolResult {
    match client.call_tool(to_call(name, args)).await {
        Ok(result) => result,
        Err(err) => fail(name, &err.to_string()),
    }
}

fn to_call(name: &'static str, args: Value) -> CallToolRequestParams {
    let args: JsonObject = serde_json::from_value(args).expect("an object");
    CallToolRequestParams::new(name).with_arguments(args)
}

fn to_text(result: &CallToolResult) -> &str {
    result.content.first().and_then(|block| block.as_text()).map_or("", |block| &block.text)
}

fn to_value(result: &CallToolResult) -> Value {
    serde_json::from_str(to_text(result)).unwrap_or(Value::Null)
}

fn check_error(step: &str, result: &CallToolResult, code: &str) {
    check(step, result.is_error == Some(true) && to_value(result)["code"] == code, to_text(result));
}

fn check(step: &str, is_right: bool, seen: &str) {
    let shown: String = seen.chars().take(160).collect();
    let verdict = if is_right { "ok      " } else { "FAILED  " };
    println!("{verdict}{step}{}{shown}", if shown.is_empty() { "" } else { ": " });
    if !is_right {
        exit(1);
    }
}

fn fail(step: &str, seen: &str) -> ! {
    check(step, false, seen);
    unreachable!()
}
