// What the AI SDK's streamText makes of a model that we play: the parts of its fullStream, a JSON line each.
//
//     node full_stream.mjs ai-v5 < calls.json      calls.json: for each call of the model, the parts that it streams
//
// Knows how a model of each version is played and how streamText is asked; must not know Weft. The tool `look` answers within the run.

import { readFileSync } from 'node:fs';

const SPECIFICATIONS = { 'ai-v5': 'v2', 'ai-v6': 'v3', 'ai-v7': 'v4', ai: 'v4' };

const name = process.argv[2];
const specificationVersion = SPECIFICATIONS[name];
const calls = JSON.parse(readFileSync(0, 'utf8'));
const { streamText, stepCountIs, jsonSchema, tool } = await import(name);

/** A part in the words of this version of models. */
function worded(part) {
  if (part.type === 'error') return { type: 'error', error: new Error(part.message) };
  if (part.type === 'file' && specificationVersion === 'v4') return { ...part, data: { type: 'data', data: part.data } };
  if (part.type !== 'finish' || specificationVersion === 'v2') return part;
  const { inputTokens, outputTokens } = part.usage;
  const finishReason = { unified: part.finishReason, raw: part.finishReason };
  return { ...part, finishReason, usage: { inputTokens: { total: inputTokens }, outputTokens: { total: outputTokens } } };
}

const model = {
  specificationVersion,
  provider: 'played',
  modelId: 'm',
  supportedUrls: {},
  async doStream() {
    const parts = [{ type: 'stream-start', warnings: [] }, ...calls.shift()];
    return { stream: ReadableStream.from(parts.map(worded)) };
  },
};

const any = jsonSchema({ type: 'object' });
const tools = {
  look: tool({ inputSchema: any, execute: async () => 'grey' }),
  open: tool({ inputSchema: any }),
};

function plain(key, value) {
  return value instanceof Error ? { ...value, name: value.name, message: value.message } : value;
}

console.warn = console.error = () => {};
const result = streamText({ model, tools, prompt: 'x', stopWhen: stepCountIs(5), onError: () => {}, maxRetries: 0 });
for await (const part of result.fullStream ?? result.stream) process.stdout.write(`${JSON.stringify(part, plain)}\n`);
