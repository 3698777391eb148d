import type { IDataObject, INodeExecutionData, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { isQrServiceError } from '../../../core.ts';

/**
 * A failed item's own error. The keys `error` and `details` are those by which n8n sends an item to the
 * error output; any other key would leave it among the good ones, so a code that was created all the same
 * is in `details.qrCode`.
 */
export function errorItem(error: NodeApiError | NodeOperationError, itemIndex: number): INodeExecutionData {
  const { cause } = error;
  const requestId = isQrServiceError(cause) && 'requestId' in cause ? cause.requestId : undefined;
  const qrCode = error.context['qrCode'] as IDataObject | undefined;
  return {
    json: {
      error: error.message,
      details: {
        description: error.description ?? '',
        code: isQrServiceError(cause) ? cause.code : 'invalid_input',
        ...('httpCode' in error && error.httpCode !== null ? { httpCode: error.httpCode } : {}),
        ...(typeof requestId === 'string' ? { requestId } : {}),
        ...(qrCode === undefined ? {} : { qrCode }),
      },
    },
    pairedItem: { item: itemIndex },
  };
}
