// Chat, stream, tool round trip and cancel with OpenAI's JavaScript SDK; the first argument is the base URL.
import assert from 'node:assert';
import OpenAI from 'openai';

const client = new OpenAI({ baseURL: process.argv[2], apiKey: 'none', maxRetries: 0 });
const ask = (content, more = {}) => ({
  model: 'glimmer-mini',
  messages: [{ role: 'user', content }],
  temperature: 0,
  max_tokens: 64,
  ...more,
});

const capital = 'What is the capital of France?';
const answer = await client.chat.completions.create(ask(capital));
assert.match(answer.choices[0].message.content, /Paris/);

let text = '';
let usage;
const stream = await client.chat.completions.create(
  ask(capital, { stream: true, stream_options: { include_usage: true } }));
for await (const chunk of stream) {
  text += chunk.choices[0]?.delta?.content ?? '';
  usage = chunk.usage ?? usage;
}
assert.equal(text, answer.choices[0].message.content);
assert.equal(usage.completion_tokens, answer.usage.completion_tokens);

const tools = [{
  type: 'function',
  function: {
    name: 'search',
    description: 'Search the web.',
    parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  },
}];
const first = await client.chat.completions.create(ask('Look up green sensor on the web.', { tools }));
const message = first.choices[0].message;
assert.equal(first.choices[0].finish_reason, 'tool_calls');
assert.deepEqual(JSON.parse(message.tool_calls[0].function.arguments), { query: 'green sensor' });
const second = await client.chat.completions.create({
  ...ask('', { tools }),
  messages: [
    { role: 'user', content: 'Look up green sensor on the web.' },
    message,
    { role: 'tool', tool_call_id: message.tool_calls[0].id, content: '{"results": 15, "top": "lion-radio.com"}' },
  ],
});
assert.match(second.choices[0].message.content, /lion-radio\.com/);

const endless = await client.chat.completions.create(
  ask('Tell me a story about a fox.', { stream: true, max_tokens: 4000, ignore_eos: true }));
let seen = 0;
for await (const chunk of endless) {
  if (++seen === 5) {
    endless.controller.abort();
    break;
  }
}
await assert.rejects(client.chat.completions.create(ask('Hi', { temperature: 3 })), /temperature/);
console.log('all checks passed');
