import type { Agent, ClientRequest, IncomingMessage } from 'node:http';

/** The method of an agent that Node.js calls to send a request. */
interface RequestQueue {
  addRequest: (request: ClientRequest, ...options: unknown[]) => void;
}

/**
 * The agent that Zapier's HTTP client, node-fetch 2, would use for a URL, except that a response that is cut off fails
 * its request. node-fetch would wait forever for the rest of a body with a `Content-Length`, as it only passes on
 * errors of the request.
 */
export function agentFor(url: string): Agent {
  // Importing node:http from an ES module adds 25 ms to a cold start, as Node.js then also loads its WebSocket.
  const agent: Agent =
    new URL(url).protocol === 'https:'
      ? process.getBuiltinModule('node:https').globalAgent
      : process.getBuiltinModule('node:http').globalAgent;
  const queue = agent as unknown as RequestQueue;
  const watching: RequestQueue & { keepAlive: boolean } = {
    // Closes the connection after the response, as node-fetch does without an agent.
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
