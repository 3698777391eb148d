import type { IDataObject, INodeExecutionData, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { isQrServiceError } from '../../../core.ts';

/**
 * The output of a failed item. n8n sends an item to the error output only if it has no keys but `error` and
 * `details`, so a code that was created all the same is in `details.qrCode`.
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
