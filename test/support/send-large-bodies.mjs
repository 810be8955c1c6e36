/**
 * Run by Node: sends bodies with its `fetch` and with `node:http` in turns, and prints what it got, by door: a status
 * or an error's code, and how often. Arguments: a list of `{name, url, headers, bytes}` in JSON, and how many bodies.
 */
import { request } from "node:http";

const doors = JSON.parse(process.argv[2]);
const bodies = Number(process.argv[3]);

async function sendByFetch({ url, headers, bytes }) {
  const response = await fetch(url, { method: "POST", headers, body: new Uint8Array(bytes) });
  await response.text();
  return response.status;
}

const sendByHttp = ({ url, headers, bytes }) =>
  new Promise((resolve, reject) => {
    const sent = { ...headers, "content-length": bytes };
    const req = request(url, { method: "POST", agent: false, headers: sent }, (res) => {
      res.resume();
      res.on("end", () => resolve(res.statusCode));
      res.on("error", reject);
    });
    req.on("error", reject);
    req.end(new Uint8Array(bytes));
  });

const outcomes = {};
for (const door of doors) {
  const counts = {};
  for (let at = 0; at < bodies; at += 1) {
    const send = at % 2 === 0 ? sendByFetch : sendByHttp;
    const outcome = await send(door).catch((err) => err.cause?.code ?? err.code);
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  outcomes[door.name] = counts;
}
console.log(JSON.stringify(outcomes));
