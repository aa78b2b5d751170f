// The process that runs the front ends' clients: a JSON line in for each body, a JSON line out with what its client made of it.
//
//     {"client": "ai", "file": "…"}  ->  {"answer": {…}}  or  {"error": "…"}
//
// Knows which client reads a body and how it is asked; must not know Weft. Bodies come from files: no client sees a network.

import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const PATIENCE = 20_000;

/** What a server would answer: the body of the file, in the chunks that a socket could make of it. */
function served(file) {
  const bytes = readFileSync(file);
  const body = new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 1024) controller.enqueue(bytes.subarray(at, at + 1024));
      controller.close();
    },
  });
  return async () => new Response(body, { status: 200, headers: { 'content-type': 'text/event-stream' } });
}

/** A chat of the AI SDK: its transport checks every chunk, its reader makes them the message that a page shows. */
async function uiMessage(library, file) {
  const errors = [];
  const onError = (error) => errors.push(error.message.slice(0, 300));
  const transport = new library.DefaultChatTransport({ api: 'http://localhost/', fetch: served(file) });
  const asked = { id: 'q', role: 'user', parts: [{ type: 'text', text: 'x' }] };
  const stream = await transport.sendMessages({ chatId: 'c', trigger: 'submit-message', messages: [asked] });
  const types = [];
  const told = stream.pipeThrough(
    new TransformStream({
      transform(chunk, controller) {
        types.push(chunk.type);
        controller.enqueue(chunk);
      },
    }),
  );
  let message = null;
  for await (const state of library.readUIMessageStream({ stream: told, onError, terminateOnError: false })) message = state;
  return { message, errors, types };
}

/** An agent of AG-UI over HTTP: its client checks the order of events and puts the messages together. */
async function run(library, file) {
  const agent = new library.HttpAgent({ url: 'http://localhost/', fetch: served(file) });
  globalThis.fetch = served(file); // versions that take no fetch of their own
  const answer = { messages: [], errors: [], finished: null, custom: [] };
  const listener = {
    onRunErrorEvent: ({ event }) => void answer.errors.push({ message: event.message, code: event.code }),
    onRunFinishedEvent: ({ event, pendingToolCallIds }) => void (answer.finished = { ...event, pendingToolCallIds }),
    onCustomEvent: ({ event }) => void answer.custom.push({ name: event.name, value: event.value }),
  };
  try {
    await agent.runAgent({ runId: 'r' }, listener);
  } catch (error) {
    if (answer.errors.length === 0) throw error; // a RUN_ERROR is thrown as well
  }
  answer.messages = agent.messages;
  return answer;
}

/** A provider of the AI SDK: it checks every frame of its protocol and says it in the SDK's own parts. */
function provider(model) {
  return async (library, file) => {
    const answer = { text: '', reasoning: '', calls: [], errors: [], finish: null, usage: null };
    const on = {
      'text-delta': (part) => void (answer.text += part.delta),
      'reasoning-delta': (part) => void (answer.reasoning += part.delta),
      'tool-call': (part) => void answer.calls.push([part.toolName, part.input, part.providerExecuted ?? false]),
      error: (part) => void answer.errors.push(String(part.error?.message ?? JSON.stringify(part.error)).slice(0, 300)),
      finish: (part) => Object.assign(answer, { finish: part.finishReason.unified, usage: part.usage }),
    };
    const prompt = [{ role: 'user', content: [{ type: 'text', text: 'x' }] }];
    const settings = { name: 'x', apiKey: 'x', baseURL: 'http://localhost', fetch: served(file) };
    const { stream } = await model(library, settings).doStream({ prompt });
    for await (const part of stream) on[part.type]?.(part);
    return answer;
  };
}

const CLIENTS = {
  ai: { package: 'ai', ask: uiMessage },
  'ai-v5': { package: 'ai-v5', ask: uiMessage },
  'ai-v6': { package: 'ai-v6', ask: uiMessage },
  'ai-v7': { package: 'ai-v7', ask: uiMessage },
  'ag-ui': { package: '@ag-ui/client', ask: run },
  'ag-ui-v0': { package: 'ag-ui-v0', ask: run },
  'openai-chat': { package: '@ai-sdk/openai', ask: provider((sdk, settings) => sdk.createOpenAI(settings).chat('m')) },
  'openai-responses': { package: '@ai-sdk/openai', ask: provider((sdk, settings) => sdk.createOpenAI(settings).responses('m')) },
  'openai-compatible': {
    package: '@ai-sdk/openai-compatible',
    ask: provider((sdk, settings) => sdk.createOpenAICompatible(settings).chatModel('m')),
  },
  anthropic: { package: '@ai-sdk/anthropic', ask: provider((sdk, settings) => sdk.createAnthropic(settings)('m')) },
  gemini: { package: '@ai-sdk/google', ask: provider((sdk, settings) => sdk.createGoogleGenerativeAI(settings)('m')) },
};

function late() {
  return new Promise((_, reject) => setTimeout(() => reject(new Error('no answer in time')), PATIENCE).unref());
}

async function answered({ client, file }) {
  const row = CLIENTS[client];
  try {
    const library = await import(row.package);
    return { answer: await Promise.race([row.ask(library, file), late()]) };
  } catch (error) {
    return { error: `${error?.constructor?.name}: ${error?.message}`.slice(0, 500) };
  }
}

console.log = console.info = console.warn = console.error = () => {}; // clients talk; stdout is for answers
process.on('unhandledRejection', () => {}); // clients leave promises behind; what counts is what the call gives
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answered(JSON.parse(line)))}\n`);
}
process.stdout.end(() => process.exit(0)); // clients leave timers behind
