import type { Agent, ClientRequest, IncomingMessage } from 'node:http';

/** What Node.js calls to send a request through an agent. */
interface RequestQueue {
  addRequest: (request: ClientRequest, ...options: unknown[]) => void;
}

/**
 * The agent that Zapier's HTTP client, node-fetch 2, would use for a URL. This one fails a request whose response is cut
 * off: node-fetch would wait for the rest of a body with a `Content-Length`, as it passes on only errors of the request.
 */
export function agentFor(url: string): Agent {
  // Importing node:http from an ES module adds 25 ms to a cold start: Node.js then loads its WebSocket as well.
  const agent: Agent =
    new URL(url).protocol === 'https:'
      ? process.getBuiltinModule('node:https').globalAgent
      : process.getBuiltinModule('node:http').globalAgent;
  const queue = agent as unknown as RequestQueue;
  const watching: RequestQueue & { keepAlive: boolean } = {
    // As node-fetch asks for where it is given no agent.
    keepAlive: false,
    addRequest(request, ...options) {
      request.once('response', (response: IncomingMessage) => {
        response.once('error', (error) => request.emit('error', error));
      });
      queue.addRequest(request, ...options);
    },
  };
  return Object.assign(Object.create(agent) as Agent, watching);
}
