import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A tool call that the model makes. */
interface ToolCall {
  /** Name of the tool, as the model sees it. */
  tool: string;
  input: Record<string, unknown>;
}

/** A tool as the model sees it. */
interface ShownTool {
  name: string;
  description: string;
  /** JSON schema of its input. */
  parameters: { properties: Record<string, { type?: string; description?: string }> };
}

/**
 * The model's part of one conversation: yields the tool calls of a turn, receives their results in the same order, and
 * returns its reply.
 */
export type Script = (tools: ShownTool[]) => Generator<ToolCall[], string, string[]>;

/** The fields of a request that are used here. */
interface ChatRequest {
  messages: { role: string; content: string; tool_call_id?: string }[];
  tools?: { function: ShownTool }[];
}

interface Conversation {
  turns: ReturnType<Script>;
  /** IDs of the last turn's tool calls. */
  calls: string[];
}

/** A chat model behind an OpenAI-compatible API that follows a script. */
export type ScriptedModel = Awaited<ReturnType<typeof startScriptedModel>>;

/** Starts a model on a free port. A request that the script doesn't expect fails. */
export async function startScriptedModel() {
  let script: Script | undefined;
  let conversation: Conversation | undefined;
  let count = 0;

  function nextTurn({ messages, tools = [] }: ChatRequest): object {
    let turn;
    if (conversation === undefined) {
      if (script === undefined) throw new Error('The model has no script.');
      conversation = { turns: script(tools.map((tool) => tool.function)), calls: [] };
      turn = conversation.turns.next([]);
    } else {
      const results = conversation.calls.map((id) => messages.find((message) => message.tool_call_id === id));
      if (results.includes(undefined)) throw new Error('A tool call has no result.');
      turn = conversation.turns.next(results.map((result) => result!.content));
    }
    if (turn.done === true) {
      conversation = undefined;
      script = undefined;
      return { role: 'assistant', content: turn.value };
    }
    const calls = turn.value.map(({ tool, input }) => ({
      id: `call_${++count}`,
      type: 'function',
      function: { name: tool, arguments: JSON.stringify(input) },
    }));
    conversation.calls = calls.map(({ id }) => id);
    return { role: 'assistant', content: null, tool_calls: calls };
  }

  const server = createServer((request, response) => {
    response.setHeader('Content-Type', 'application/json');
    void json(request)
      .then((body) => {
        const message = nextTurn(body as ChatRequest);
        const finish_reason = 'tool_calls' in message ? 'tool_calls' : 'stop';
        return {
          id: `chat_${++count}`,
          object: 'chat.completion',
          created: 0,
          model: 'scripted',
          choices: [{ index: 0, message, finish_reason }],
          usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
        };
      })
      .catch((error: unknown) => {
        conversation = undefined;
        script = undefined;
        // A status that clients don't retry.
        response.statusCode = 400;
        return { error: { message: String(error) } };
      })
      .then((body) => response.end(JSON.stringify(body)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    /** Base URL for a credential. */
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    /** Starts a new conversation. The next request has to be its first. */
    follow(next: Script) {
      conversation = undefined;
      script = next;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
