import type { INodeExecutionData, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { isQrServiceError } from '../../../core.ts';

/**
 * A failed item's own error. The keys `error` and `details` are those by which n8n sends an item to the
 * error output; any other key would leave it among the good ones.
 */
export function errorItem(error: NodeApiError | NodeOperationError, itemIndex: number): INodeExecutionData {
  const { cause } = error;
  const requestId = isQrServiceError(cause) && 'requestId' in cause ? cause.requestId : undefined;
  return {
    json: {
      error: error.message,
      details: {
        description: error.description ?? '',
        code: isQrServiceError(cause) ? cause.code : 'invalid_input',
        ...('httpCode' in error && error.httpCode !== null ? { httpCode: error.httpCode } : {}),
        ...(typeof requestId === 'string' ? { requestId } : {}),
      },
    },
    pairedItem: { item: itemIndex },
  };
}
