import { createHash, randomUUID } from 'node:crypto';
import type { IHookFunctions, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { createTransport, describeError, type StreamedResponse } from '../../core.ts';

const PROBE = 'x-qr-service-probe';

/** Milliseconds that a request to n8n's own address may take. */
const TIMEOUT_MS = 5000;

const ALTERNATIVE = 'Or turn off Send a Sample When Testing and trigger an event in the service.';

/** What to do if n8n can't reach its own address. Short, as n8n cuts a long notification. */
export const REMEDY =
  'Set N8N_WEBHOOK_URL (WEBHOOK_URL in older versions) to an address where n8n can reach itself, or remove it, then restart n8n. ' +
  ALTERNATIVE;

/** The response from n8n's own address. */
export interface OwnResponse {
  status: number;
  text: string;
}

/**
 * Posts to n8n's own address.
 * @throws TransportError if there is no response within a few seconds
 */
export async function postToSelf(
  context: IHookFunctions,
  url: string,
  headers: Record<string, string>,
  body: string,
): Promise<OwnResponse> {
  const transport = createTransport({
    async send(request, signal) {
      const response = (await context.helpers.httpRequest({
        method: request.method,
        url: request.url,
        headers: request.headers,
        body,
        timeout: TIMEOUT_MS,
        encoding: 'stream',
        returnFullResponse: true,
        ignoreHttpStatusErrors: true,
        disableFollowRedirect: true,
        abortSignal: signal,
      })) as Omit<StreamedResponse, 'status'> & { statusCode: number };
      return { ...response, status: response.statusCode };
    },
  });
  const response = await transport({
    method: 'POST',
    url,
    headers: { 'Content-Type': 'application/json', ...headers },
    timeoutMs: TIMEOUT_MS,
    responseType: 'bytes',
  });
  return { status: response.status, text: Buffer.from(response.body as Uint8Array).toString() };
}

/**
 * Checks that n8n reaches this node at its own address. n8n listens at a test URL before it calls `create`, to respond to
 * services that verify it at once, so the node itself responds to this request.
 * @throws NodeOperationError if something else responds, or nothing does within a few seconds
 */
export async function requireReachable(context: IHookFunctions, url: string): Promise<void> {
  const nonce = randomUUID();
  const obstacle = await postToSelf(context, url, { [PROBE]: nonce }, '{}').then(
    (response) => findObstacle(url, response, identity(context, nonce)),
    (error: unknown): Obstacle => ({ reason: describeError(error).message }),
  );
  if (obstacle === undefined) return;
  const { reason, remedy = REMEDY } = obstacle;
  const message = `n8n can't send itself a sample: ${reason}`;
  const error = new NodeOperationError(context.getNode(), message, { description: remedy });
  // Set again, as the constructor replaces a message that contains a code such as ECONNREFUSED.
  error.message = message;
  throw error;
}

/** Responds to a request that the node sends to find itself; undefined for any other. Only while a test listens. */
export function respondToProbe(context: IWebhookFunctions): IWebhookResponseData | undefined {
  const nonce = context.getHeaderData()[PROBE];
  if (context.getMode() !== 'manual' || typeof nonce !== 'string') return undefined;
  return { webhookResponse: { [PROBE]: identity(context, nonce) } };
}

/** The same in all processes of one n8n instance and different in any other. Doesn't reveal the instance ID. */
function identity(context: IHookFunctions | IWebhookFunctions, nonce: string): string {
  return createHash('sha256').update(`${context.getInstanceId()} ${nonce}`).digest('hex');
}

/** What keeps n8n from reaching itself. */
interface Obstacle {
  reason: string;
  /** What to do, if it differs from the usual. */
  remedy?: string;
}

function findObstacle(url: string, { status, text }: OwnResponse, own: string): Obstacle | undefined {
  // An empty 404 doesn't show who responded. The delivery will, and logs a failure.
  if (text.includes(own) || (status === 404 && text === '')) return undefined;
  const { host, hostname } = new URL(url);
  if (status === 407)
    return {
      reason: `the proxy in HTTP_PROXY or HTTPS_PROXY refused the request to ${host} (status 407).`,
      remedy: `Add ${hostname} to NO_PROXY, then restart n8n. ${ALTERNATIVE}`,
    };
  if (text.includes('n8n is starting up'))
    return { reason: `n8n is still starting up at ${host}.`, remedy: 'Wait a moment, then test again.' };
  if (text.includes(PROBE) || /The requested webhook .* is not registered/.test(text))
    return { reason: `another n8n instance responded at ${host}.` };
  if (status >= 300 && status < 400)
    return { reason: `${host} redirected the request (status ${status}), for example to a sign-in page.` };
  return {
    reason: `something else responded at ${host} (status ${status}), such as a proxy, a tunnel or a sign-in page.`,
  };
}
