// One compile of a whole history by @context-chef/core, in each configuration that might be its fastest; processor time.
//
//     node context_chef.mjs BODY.json WINDOW TURNS
//
// Prints one JSON object: configuration -> [median processor milliseconds, median wall milliseconds, bytes of the payload].
import fs from "node:fs";
import { ContextChef } from "@context-chef/core";

const [source, window, turns] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const messages = JSON.parse(fs.readFileSync(source, "utf8")).messages;
// Its types want text where a provider takes null.
for (const message of messages) if (message.content === null) message.content = "";

function tokenizer(given) {
  let characters = 0;
  for (const message of given) {
    characters += message.content.length;
    if (message.tool_calls) for (const call of message.tool_calls) characters += call.function.name.length + call.function.arguments.length;
  }
  return Math.ceil(characters / 4);
}
const compressionModel = async () => "The work so far went well.";
const configurations = {
  "characters counted, spans summarised by a constant": { contextWindow: window, tokenizer, compressionModel },
  "characters counted, nothing leaves": { contextWindow: 1e12, tokenizer, compressionModel },
  "nothing counted, spans summarised by a constant": { contextWindow: window, compressionModel },
};

const middle = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const found = {};
for (const [name, janitor] of Object.entries(configurations)) {
  const chef = new ContextChef({ janitor });
  chef.setSystemPrompt(messages.slice(0, 1));
  const [processor, wall] = [[], []];
  let bytes = 0;
  for (let turn = 0; turn < turns; turn++) {
    const history = messages.slice(1, messages.length - 2 * (turns - turn - 1));
    const [begun, start] = [process.cpuUsage(), performance.now()];
    chef.setHistory(history);
    const payload = await chef.compile({ target: "openai" });
    bytes = Buffer.byteLength(JSON.stringify(payload));
    const spent = process.cpuUsage(begun);
    wall.push(performance.now() - start);
    processor.push((spent.user + spent.system) / 1000);
  }
  found[name] = [middle(processor), middle(wall), bytes];
}
console.log(JSON.stringify(found));
