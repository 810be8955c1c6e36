import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Uses a hub as a program with the official Java SDK does: {@code http URL TOKEN ROW} or {@code stdio ROW COMMAND...},
 * where ROW is the id of a row of the fixture connector. Prints a line for each step; fails at the first that is wrong.
 */
public final class SdkClient {
  private static final String NAME = "Zoë 日本 \uD83D\uDE80 \u05E9\u05DC\u05D5\u05DD";
  private static final CountDownLatch reported = new CountDownLatch(3);

  public static void main(String[] args) throws Exception {
    boolean isHttp = args[0].equals("http");
    String row = isHttp ? args[3] : args[1];
    if (isHttp) checkRefusal(args[1]);
    McpClientTransport transport =
        isHttp ? openHttp(args[1], args[2]) : openStdio(Arrays.asList(args).subList(2, args.length));
    McpSyncClient client = open(transport);
    checkAll(client, row);
    check("the client ends", client.closeGracefully(), "");
    System.exit(0);
  }

  private static void checkAll(McpSyncClient client, String row) throws Exception {
    var started = client.initialize();
    check("initialize", started.serverInfo().name().equals("hub"), started.protocolVersion());
    check("instructions", client.getServerInstructions().contains("hub_search"), "");
    client.ping();
    check("ping", true, "");
    List<String> names = client.listTools().tools().stream().map(Tool::name).sorted().toList();
    var expected = List.of("hub_decrypt", "hub_encrypt", "hub_execute", "hub_get", "hub_info", "hub_list", "hub_read", "hub_search");
    check("list of tools", names.equals(expected), names);

    String greet = "conn:" + row + "/greet";
    String found = toText(client.callTool(toCall("hub_search", Map.of("query", "greets a person"))));
    check("hub_search", found.contains("\"tool_id\":\"" + greet + "\""), "");
    CallToolResult greeting = execute(client, greet, Map.of("name", NAME, "times", 2));
    check("hub_execute, text", toText(greeting).equals("{\"greeting\":\"Hello " + NAME + "\",\"times\":2}"), toText(greeting));
    Object structured = greeting.structuredContent();
    check("hub_execute, structured", structured.equals(Map.of("greeting", "Hello " + NAME, "times", 2)), structured);
    check("hub_execute, no error", !Boolean.TRUE.equals(greeting.isError()), "");

    checkError("error of an operation", execute(client, "conn:" + row + "/refuse", Map.of()), "upstream_error");
    checkError("a wrong argument", execute(client, greet, Map.of("nam", "Ada")), "invalid_params");
    checkError("an argument of another type", execute(client, greet, Map.of("name", "Ada", "times", "many")), "invalid_params");
    checkError("an unknown operation", execute(client, "conn:" + row + "/none", Map.of()), "not_found");
    checkError("a time limit", execute(client, "conn:" + row + "/overrun", Map.of()), "timeout");
    try {
      client.callTool(toCall("hub_serch", Map.of()));
      check("an unknown tool", false, "it was answered");
    } catch (McpError refused) {
      var error = refused.getJsonRpcError();
      check("an unknown tool", error.code() == -32602 && error.message().contains("hub_search"), error.message());
    }
    var counting = Map.<String, Object>of("tool_id", "conn:" + row + "/count", "params", Map.of());
    CallToolResult counted = client.callTool(CallToolRequest.builder("hub_execute").arguments(counting).progressToken("p1").build());
    check("an answer with progress", toText(counted).equals("{\"counted\":3}"), "");
    check("three reports of progress", reported.await(30, TimeUnit.SECONDS), reported.getCount() + " are missing");
  }

  /** A client without a valid token learns so, and does not wait. */
  private static void checkRefusal(String url) {
    try (McpSyncClient client = open(openHttp(url, "hub_pat_00000000000000000000000000000000"))) {
      client.initialize();
      check("an unknown token", false, "it was accepted");
    } catch (RuntimeException refused) {
      String text = describe(refused);
      check("an unknown token", text.contains("401") || text.toLowerCase().contains("authoriz"), text);
    }
  }

  private static McpSyncClient open(McpClientTransport transport) {
    return McpClient.sync(transport)
        .requestTimeout(Duration.ofSeconds(120))
        .initializationTimeout(Duration.ofSeconds(120))
        .progressConsumer(report -> {
          if (report.total() == 3.0 && report.message().contains("hub_enc_")) reported.countDown();
        })
        .build();
  }

  private static McpClientTransport openHttp(String url, String token) {
    return HttpClientStreamableHttpTransport.builder(url)
        .endpoint("/mcp")
        .httpRequestCustomizer((request, method, endpoint, body, context) -> request.header("Authorization", "Bearer " + token))
        .build();
  }

  private static McpClientTransport openStdio(List<String> command) {
    var parameters = ServerParameters.builder(command.get(0)).args(command.subList(1, command.size())).env(System.getenv());
    var transport = new StdioClientTransport(parameters.build(), McpJsonDefaults.getMapper());
    transport.setStdErrorHandler(line -> {});
    return transport;
  }

  private static CallToolResult execute(McpSyncClient client, String toolId, Map<String, Object> params) {
    return client.callTool(toCall("hub_execute", Map.of("tool_id", toolId, "params", params)));
  }

  private static CallToolRequest toCall(String name, Map<String, Object> args) {
    return CallToolRequest.builder(name).arguments(args).build();
  }

  private static String toText(CallToolResult result) {
    return ((TextContent) result.content().get(0)).text();
  }

  private static void checkError(String step, CallToolResult result, String code) {
    boolean isRight = Boolean.TRUE.equals(result.isError()) && toText(result).contains("\"code\":\"" + code + "\"");
    check(step, isRight, toText(result));
  }

  private static String describe(Throwable thrown) {
    var text = new StringBuilder();
    for (Throwable at = thrown; at != null; at = at.getCause()) text.append(at).append("; ");
    return text.toString();
  }

  private static void check(String step, boolean isRight, Object seen) {
    String shown = seen.toString();
    System.out.println((isRight ? "ok      " : "FAILED  ") + step + (shown.isEmpty() ? "" : ": " + shown.substring(0, Math.min(160, shown.length()))));
    if (!isRight) System.exit(1);
  }
}
