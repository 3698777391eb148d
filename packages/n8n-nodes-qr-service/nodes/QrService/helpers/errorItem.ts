import type { IDataObject, INodeExecutionData, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { isApiError, isQrServiceError } from '../../../core.ts';

/**
 * The output of a failed item: the error's title for a cell, and all the rest under `details`. n8n sends an item to the
 * error output only if it has no keys but `error` and `details`, so a code that was created anyway is in `details.qrCode`.
 */
export function errorItem(error: NodeApiError | NodeOperationError, itemIndex: number): INodeExecutionData {
  const { cause } = error;
  const { requestId, details } = isApiError(cause) ? cause : {};
  const qrCode = error.context['qrCode'] as IDataObject | undefined;
  return {
    json: {
      error: error.message,
      details: {
        description: error.description ?? '',
        code: isQrServiceError(cause) ? cause.code : 'invalid_input',
        ...('httpCode' in error && error.httpCode !== null ? { httpCode: error.httpCode } : {}),
        ...(requestId === undefined ? {} : { requestId }),
        ...(details === undefined ? {} : { details: details as IDataObject }),
        ...(qrCode === undefined ? {} : { qrCode }),
      },
    },
    pairedItem: { item: itemIndex },
  };
}
