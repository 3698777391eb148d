import {
  ExecutionBaseError,
  NodeApiError,
  NodeOperationError,
  UserError,
  type Failure,
  type IHookFunctions,
  type INode,
  type IPollFunctions,
  type JsonObject,
  type Workflow,
} from 'n8n-workflow';
import {
  describeError,
  isApiError,
  isOwnError,
  isQrServiceError,
  isTransportError,
  omitUndefined,
  sentence,
  TransportError,
  type ApiError,
  type ErrorWords,
} from '../../deps.ts';

/** An error as n8n shows it. */
export type NodeError = NodeApiError | NodeOperationError;

/** n8n's words for errors outside a run of the action node. */
export const N8N_WORDS: ErrorWords = {
  credential: 'credential',
  rerun: 'retry',
  scopes: 'To see the scopes of an API key, use Account: Get.',
};

/** Turns any thrown value into the error that n8n shows. The core's words replace n8n's, which blame the credential for a 403. */
export function toNodeError(
  node: INode,
  error: unknown,
  itemIndex?: number,
  words: ErrorWords = N8N_WORDS,
): NodeError {
  const nodeError = asNodeError(node, error, words);
  nodeError.failure ??= failureOf(error);
  if (itemIndex !== undefined) nodeError.context['itemIndex'] = itemIndex;
  return nodeError;
}

/** The same for an activation, a test of a trigger, a poll or a list: n8n shows such errors without their description. */
export function toActivationError(node: INode, error: unknown): NodeError {
  const nodeError = toNodeError(node, error);
  const { message, description } = nodeError;
  if (typeof description !== 'string' || description === '' || message.includes(description))
    return nodeError;
  nodeError.message = `${sentence(message)} ${description}`;
  // For a test, n8n also shows this error's description under "Show Details", which would repeat the message.
  if (nodeError instanceof NodeApiError) nodeError.description = undefined;
  return nodeError;
}

/** Throws for an instant trigger beside a polling one: each poll writes back static data from before it subscribed. */
export function requireOwnWorkflow(
  context: IHookFunctions | IPollFunctions,
  findOther: (workflow: Partial<Workflow>) => INode | undefined,
): void {
  // n8n's contexts contain the workflow, though their public type does not.
  const { workflow = {} } = context as { workflow?: Partial<Workflow> };
  const other = findOther(workflow);
  if (other === undefined) return;
  const message = `This trigger can't share a workflow with the trigger "${other.name}": n8n would refuse all events.`;
  const description = 'Move one of the two triggers to a workflow of its own.';
  throw new NodeOperationError(context.getNode(), message, { description });
}

/** Code of an error about a request that n8n didn't send: it isn't a failure of the network, which the core would retry. */
const BLOCKED = 'blocked_by_n8n' as TransportError['code'];

/** Makes a handler for a failed request to a URL: an error of n8n's SSRF protection becomes one that says what to set. */
export function throwIfBlocked(url: string): (error: unknown) => never {
  return (error) => {
    // n8n wraps it for a request with a credential.
    const errors = [error, (error as Error).cause] as (Partial<Error> | undefined)[];
    if (!errors.some((one) => one?.name?.startsWith('Ssrf'))) throw error;
    const message = `n8n's SSRF protection blocked the request to ${new URL(url).host}.`;
    const detail =
      'Ask your n8n administrator to add the host to N8N_SSRF_ALLOWED_HOSTNAMES, or an IP address to N8N_SSRF_ALLOWED_IP_RANGES, and to restart n8n.';
    throw new TransportError(message, { code: BLOCKED, unsent: true, detail });
  };
}

/** Sets the title and description of an n8n error, as its constructors replace some messages with their own. */
export function setText(nodeError: NodeError, text: { message: string; description: string }): void {
  nodeError.message = text.message;
  nodeError.description = text.description === '' ? undefined : text.description;
}

function asNodeError(node: INode, error: unknown, words: ErrorWords): NodeError {
  if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
  const isCanceled = isTransportError(error) && error.code === 'aborted';
  // n8n recognizes a canceled execution by this spelling.
  const canceled = { message: 'The execution was canceled.', description: '' };
  const text = isCanceled ? canceled : describeError(error, words);
  const nodeError = isApiError(error)
    ? new NodeApiError(node, error as unknown as JsonObject, { httpCode: String(error.status) })
    : new NodeOperationError(node, error instanceof Error ? error : text.message);
  setText(nodeError, text);
  // "Full message" and "Error data" under "Error details".
  nodeError.messages = isApiError(error) && error.serviceMessage !== '' ? [error.serviceMessage] : [];
  if (isQrServiceError(error)) {
    const { code, requestId, intermediary, details } = error as Partial<ApiError>;
    nodeError.context['data'] = omitUndefined({ code, requestId, respondedBy: intermediary, details });
  }
  return nodeError;
}

/** Why an operation failed. n8n's durable scheduler decides by it when to poll again. */
export function failureOf(error: unknown): Failure {
  const cause = causeOf(error);
  if (/^(credential|configuration|node)-/.test(cause)) return { cause };
  const retryAfterMs = isApiError(error) ? error.retryAfterMs : undefined;
  return { cause, ...omitUndefined({ retryAfterMs }) };
}

/** Only a new API key cures an invalid one; a key that is valid but not permitted counts as configuration. */
function causeOf(error: unknown): Failure['cause'] {
  if (isApiError(error)) {
    if (error.code === 'quota_exceeded') return 'quota-exhausted';
    if (error.status === 429) return 'rate-limited';
    if (error.status >= 500 || error.status === 408) return 'temporarily-unavailable';
    return isOwnError(error, 401) ? 'credential-invalid' : 'configuration-invalid';
  }
  if (isTransportError(error))
    return /^(certificate|redirect|blocked_by_n8n)$/.test(error.code)
      ? 'configuration-invalid'
      : 'temporarily-unavailable';
  // n8n's own errors are about the workflow or its credential. Others, such as a full disk, may pass.
  if (isQrServiceError(error) || error instanceof ExecutionBaseError || error instanceof UserError)
    return 'configuration-invalid';
  const isBug = [TypeError, RangeError, ReferenceError, SyntaxError].some((bug) => error instanceof bug);
  return isBug ? 'node-defect' : 'temporarily-unavailable';
}
