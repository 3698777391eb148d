import type {
  IHookFunctions,
  INodeType,
  INodeTypeDescription,
  IWebhookFunctions,
  IWebhookResponseData,
} from 'n8n-workflow';
import { toNodeError } from '../shared/toNodeError.ts';
import { triggerDescription } from './description.ts';
import { receive } from './receive.ts';
import { isSubscribed, subscribe, unsubscribe } from './subscription.ts';

/** The instant trigger: the service's signed events. */
export class QrServiceTrigger implements INodeType {
  description: INodeTypeDescription = triggerDescription;

  webhookMethods = {
    default: {
      async checkExists(this: IHookFunctions): Promise<boolean> {
        return await Promise.resolve(isSubscribed(this));
      },
      async create(this: IHookFunctions): Promise<boolean> {
        try {
          await subscribe(this);
          return true;
        } catch (error) {
          throw toNodeError(this.getNode(), error);
        }
      },
      async delete(this: IHookFunctions): Promise<boolean> {
        try {
          await unsubscribe(this);
          return true;
        } catch (error) {
          throw toNodeError(this.getNode(), error);
        }
      },
    },
  };

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    return receive(this);
  }
}
