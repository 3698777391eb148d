import { Agent as HttpAgent, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';

/** What Node.js calls to send a request through an agent. */
interface RequestQueue {
  addRequest: (request: ClientRequest, ...options: unknown[]) => void;
}

/**
 * Fails a request whose response is cut off. Zapier's HTTP client, node-fetch 2, passes on only errors of the request,
 * so it would wait for the rest of a body with a `Content-Length` until the time limit.
 */
function failingCutOffs(agent: HttpAgent): HttpAgent {
  const queue = agent as unknown as RequestQueue;
  const addRequest = queue.addRequest.bind(agent);
  queue.addRequest = (request, ...options) => {
    request.once('response', (response: IncomingMessage) => {
      response.once('error', (error) => request.emit('error', error));
    });
    addRequest(request, ...options);
  };
  return agent;
}

const httpAgent = failingCutOffs(new HttpAgent());
const httpsAgent = failingCutOffs(new HttpsAgent());

/** The agent for a request to a URL. It keeps no connection open, like Zapier's own. */
export function agentFor(url: string): HttpAgent {
  return new URL(url).protocol === 'https:' ? httpsAgent : httpAgent;
}
