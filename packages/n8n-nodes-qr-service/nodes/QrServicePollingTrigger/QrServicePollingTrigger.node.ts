import type { INodeExecutionData, INodeType, INodeTypeDescription, IPollFunctions } from 'n8n-workflow';
import { toNodeError } from '../shared/toNodeError.ts';
import { pollingDescription } from './description.ts';
import { poll } from './poll.ts';

/** The polling trigger: changed codes and scans, for those who have no public address. */
export class QrServicePollingTrigger implements INodeType {
  description: INodeTypeDescription = pollingDescription;

  async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
    try {
      return await poll(this);
    } catch (error) {
      throw toNodeError(this.getNode(), error);
    }
  }
}
