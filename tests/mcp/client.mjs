// The official TypeScript client: lists every tool, calls each once, says what came of it.
// node client.mjs SDK COMMAND ARGUMENTS CALLS, the last three as JSON.
import { pathToFileURL } from "node:url";

const [sdk, command, args, calls] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(`${sdk}/dist/esm/client/${name}.js`));
const { Client } = await load("index");
const { StdioClientTransport } = await load("stdio");

const client = new Client({ name: "transom-tests", version: "1" });
await client.connect(new StdioClientTransport({ command: JSON.parse(command), args: JSON.parse(args), stderr: "inherit" }));
const listed = [];
let cursor;
do {
  const page = await client.listTools({ cursor });
  listed.push(...page.tools.map((tool) => tool.name));
  cursor = page.nextCursor;
} while (cursor);
const results = {};
for (const [name, given] of Object.entries(JSON.parse(calls))) {
  const result = await client.callTool({ name, arguments: given });
  results[name] = { failed: result.isError ?? false, error: result._meta?.["transom/error"] ?? null, text: result.content[0].text };
}
await client.close();
console.log(JSON.stringify({ listed, results }));
