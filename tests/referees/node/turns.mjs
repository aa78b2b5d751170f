// What the front ends' own libraries say of an assistant's turn: one JSON list of {target, items} in, one of complaints out.
//
// Knows which check of which library belongs to a target; must not know Weft.

import { readFileSync } from 'node:fs';

import { MessageSchema } from '@ag-ui/core/schemas';

const AI = ['ai-v5', 'ai-v6', 'ai'];

/** Every version takes the message, and makes of it the model messages of the next request. */
async function uiMessages(items) {
  const asked = { id: 'q', role: 'user', parts: [{ type: 'text', text: 'x' }] };
  for (const name of AI) {
    const library = await import(name);
    if (library.validateUIMessages) await library.validateUIMessages({ messages: [asked, ...items] });
    await library.convertToModelMessages([asked, ...items]);
  }
}

/** The core's schemas of a run's input. */
function agUiMessages(items) {
  for (const item of items) MessageSchema.parse(item);
}

const JUDGES = { 'ai-sdk-ui': uiMessages, 'ag-ui': agUiMessages };

const complaints = [];
for (const { target, items } of JSON.parse(readFileSync(0, 'utf8'))) {
  try {
    await JUDGES[target](items);
    complaints.push(null);
  } catch (error) {
    complaints.push(`${error.name}: ${error.message}`.slice(0, 600));
  }
}
process.stdout.write(JSON.stringify(complaints));
