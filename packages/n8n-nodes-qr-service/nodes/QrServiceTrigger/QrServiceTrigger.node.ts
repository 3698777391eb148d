import type {
  IHookFunctions,
  INodeType,
  INodeTypeDescription,
  IWebhookFunctions,
  IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { BRAND } from '../../core.ts';
import { CREDENTIAL_NAME } from '../shared/credentials.ts';
import { toNodeError } from '../shared/toNodeError.ts';
import { EVENT_OPTIONS } from './events.ts';
import { receive } from './receive.ts';
import { isSubscribed, subscribe, unsubscribe } from './subscription.ts';

/** The instant trigger: the service's signed events. */
export class QrServiceTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: `${BRAND.name} Trigger`,
    name: 'qrServiceTrigger',
    icon: { light: 'file:../../icons/qrService.svg', dark: 'file:../../icons/qrService.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: '={{ $parameter["events"].join(", ") }}',
    description: 'Starts the workflow when a signed event of the service arrives',
    eventTriggerDescription: 'Waiting for an event of the service',
    activationMessage: 'The service now sends its events to this workflow.',
    defaults: { name: `${BRAND.name} Trigger` },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: CREDENTIAL_NAME, required: true }],
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' }],
    properties: [
      {
        displayName:
          'The service only sends to a public HTTPS address. Behind a firewall, use a tunnel or the polling trigger.',
        name: 'notice',
        type: 'notice',
        default: '',
      },
      {
        displayName: 'Events',
        name: 'events',
        type: 'multiOptions',
        required: true,
        options: EVENT_OPTIONS,
        default: [],
        description: 'The events that start the workflow',
      },
    ],
  };

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
