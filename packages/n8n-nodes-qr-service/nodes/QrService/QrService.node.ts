import type { IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { router } from './actions/router.ts';
import { nodeDescription } from './descriptions/node.ts';
import { searchQrCodes } from './methods/listSearch.ts';

/** The action node: QR codes, their images, scans and the account. */
export class QrService implements INodeType {
  description: INodeTypeDescription = nodeDescription;

  methods = { listSearch: { searchQrCodes } };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    return [await router(this)];
  }
}
