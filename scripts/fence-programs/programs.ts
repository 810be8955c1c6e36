/** Programs that start, use memory, threads, compiled code and a connection on this machine, and print `works`. */
export type TriedProgram = {
  name: string;
  /** What it needs on PATH. */
  needs: string;
  file: string;
  source: string;
  /** Makes a program of the source. */
  build?: readonly string[];
  command: readonly string[];
};

const javascript = `
const { Worker } = require("node:worker_threads");
const { createServer, connect } = require("node:net");
let sum = 0;
for (let i = 0; i < 3e7; i++) sum = (sum * 31 + i) | 0;
const held = Buffer.alloc(256 * 1024 * 1024, 1);
const workers = Array.from({ length: 8 }, () => new Promise((done, fail) => {
  const worker = new Worker("let s = 0; for (let i = 0; i < 1e6; i++) s += i", { eval: true });
  worker.on("error", fail);
  worker.on("exit", done);
}));
const answered = new Promise((done, fail) => {
  const server = createServer((socket) => socket.end("hello")).listen(0, "127.0.0.1", () => {
    connect(server.address().port, "127.0.0.1").on("data", (data) => { server.close(); done(String(data)); }).on("error", fail);
  });
});
Promise.all([answered, ...workers]).then(([text]) => {
  if (text === "hello" && held[held.length - 1] === 1 && sum !== 1) console.log("works");
  process.exit();
});
`;

const python = `
import socket, threading
held = bytearray(256 * 1024 * 1024)
for i in range(0, len(held), 4096): held[i] = 1
server = socket.create_server(("127.0.0.1", 0))
def answer():
    one, _ = server.accept()
    one.sendall(b"hello")
    one.close()
threads = [threading.Thread(target=answer)] + [threading.Thread(target=lambda: sum(range(10**5))) for _ in range(16)]
for one in threads: one.start()
text = socket.create_connection(server.getsockname()).recv(5)
for one in threads: one.join()
if text == b"hello" and held[4096] == 1: print("works")
`;

const go = `package main
import ("fmt"; "io"; "net"; "sync")
func main() {
	held := make([]byte, 512<<20)
	for i := 0; i < len(held); i += 4096 { held[i] = 1 }
	var all sync.WaitGroup
	for i := 0; i < 1000; i++ { all.Add(1); go func() { defer all.Done(); part := make([]byte, 64<<10); part[1] = 1 }() }
	all.Wait()
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil { panic(err) }
	go func() { one, _ := server.Accept(); one.Write([]byte("hello")); one.Close() }()
	one, err := net.Dial("tcp", server.Addr().String())
	if err != nil { panic(err) }
	text, _ := io.ReadAll(one)
	if string(text) == "hello" && held[4096] == 1 { fmt.Println("works") }
}
`;

const java = `import java.net.*;
public class Tried {
  public static void main(String[] args) throws Exception {
    Thread[] threads = new Thread[50];
    for (int i = 0; i < threads.length; i++) {
      threads[i] = new Thread(() -> { long s = 0; for (int k = 0; k < 3000000; k++) s = s * 31 + k; });
      threads[i].start();
    }
    for (Thread one : threads) one.join();
    byte[] held = new byte[256 << 20];
    for (int i = 0; i < held.length; i += 4096) held[i] = 1;
    ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    new Thread(() -> { try { Socket one = server.accept(); one.getOutputStream().write("hello".getBytes()); one.close(); } catch (Exception e) {} }).start();
    Socket one = new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort());
    String text = new String(one.getInputStream().readAllBytes());
    if (text.equals("hello") && held[4096] == 1) System.out.println("works");
  }
}
`;

/** Wasm and JavaScript compile while they run. */
const page = `<p id="said"></p><script>
let sum = 0; for (let i = 0; i < 3e7; i++) sum = (sum * 31 + i) | 0;
const held = new Uint8Array(256 * 1024 * 1024).fill(1);
if (held[4096] === 1 && sum !== 1) document.getElementById("said").textContent = "wor" + "ks";
</script>`;

export const triedPrograms: readonly TriedProgram[] = [
  {
    name: "Node",
    needs: "node",
    file: "tried.cjs",
    source: javascript,
    command: ["node", "tried.cjs"],
  },
  {
    name: "Bun",
    needs: process.execPath,
    file: "tried.cjs",
    source: javascript,
    command: [process.execPath, "tried.cjs"],
  },
  {
    name: "Python",
    needs: "python3",
    file: "tried.py",
    source: python,
    command: ["python3", "tried.py"],
  },
  {
    name: "Go",
    needs: "go",
    file: "tried.go",
    source: go,
    build: ["go", "build", "-o", "tried", "tried.go"],
    command: ["./tried"],
  },
  {
    name: "Java",
    needs: "javac",
    file: "Tried.java",
    source: java,
    build: ["javac", "Tried.java"],
    command: ["java", "-cp", ".", "Tried"],
  },
  {
    name: "Chromium",
    needs: "chromium-headless-shell",
    file: "tried.html",
    source: page,
    command: [
      "chromium-headless-shell",
      "--no-sandbox",
      "--disable-gpu",
      "--dump-dom",
      "file://$PWD/tried.html",
    ],
  },
];

/** Takes memory without end, and prints `refused` if the system refuses more. */
export const greedySource = `
held = []
try:
    while True:
        held.append(bytearray(64 * 1024 * 1024))
except MemoryError:
    held.clear()
    print("refused", flush=True)
`;
