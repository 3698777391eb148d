import type { IDataObject, INode, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import {
  describeError,
  isApiError,
  isQrServiceError,
  isTransportError,
  omitUndefined,
  type ErrorDescription,
  type ErrorWords,
} from '../../core.ts';
import { N8N_WORDS } from './errorWords.ts';
import { failureOf } from './failure.ts';

/**
 * Turns any thrown value into the error that n8n shows: what happened as its title, then what to do. n8n adds the item to
 * the title where there are several, and shows the rest under "Error details". The core's description replaces n8n's own,
 * which blames the credentials for a 403.
 */
export function toNodeError(
  node: INode,
  error: unknown,
  itemIndex?: number,
  words: ErrorWords = N8N_WORDS,
): NodeApiError | NodeOperationError {
  const nodeError = asNodeError(node, error, words);
  nodeError.failure ??= failureOf(error);
  if (itemIndex !== undefined) nodeError.context['itemIndex'] = itemIndex;
  return nodeError;
}

/** Sets the title and description of an n8n error, as its constructors replace some messages with their own. */
export function setText(
  nodeError: NodeApiError | NodeOperationError,
  { message, description }: Pick<ErrorDescription, 'message' | 'description'>,
): void {
  nodeError.message = message;
  nodeError.description = description === '' ? undefined : description;
}

/** n8n recognizes a canceled execution by this spelling in the error's message. */
function describe(error: unknown, words: ErrorWords): Pick<ErrorDescription, 'message' | 'description'> {
  if (isTransportError(error) && error.kind === 'aborted')
    return { message: 'The execution was canceled.', description: '' };
  return describeError(error, words);
}

function asNodeError(node: INode, error: unknown, words: ErrorWords): NodeApiError | NodeOperationError {
  if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
  const text = describe(error, words);
  const nodeError = isApiError(error)
    ? new NodeApiError(node, error as unknown as JsonObject, {
        message: text.message,
        httpCode: String(error.status),
      })
    : new NodeOperationError(node, error instanceof Error ? error : text.message);
  setText(nodeError, text);
  // "Full message" and "Error data" under "Error details".
  nodeError.messages = isApiError(error) ? [error.serviceMessage] : [];
  const data = rawDetails(error);
  if (data !== undefined) nodeError.context['data'] = data;
  return nodeError;
}

/** Details of an error for support, as the service sent them. */
function rawDetails(error: unknown): IDataObject | undefined {
  if (!isQrServiceError(error)) return undefined;
  const { code } = error;
  if (!isApiError(error)) return { code };
  const { requestId, intermediary, details } = error;
  return {
    code,
    ...omitUndefined({ requestId, respondedBy: intermediary, details: details as IDataObject }),
  };
}
