import type {
  IHookFunctions,
  INodeType,
  INodeTypeDescription,
  IWebhookFunctions,
  IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { BRAND } from '../../core.ts';
import { NODE_DESCRIPTION } from '../shared/description.ts';
import { serializeByKey } from '../shared/serializeByKey.ts';
import { toNodeError } from '../shared/toNodeError.ts';
import { EVENTS_PROPERTY, EVENTS_SUBTITLE } from './events.ts';
import { OPTIONS } from './options.ts';
import { receive } from './receive.ts';
import { isSubscribed, subscribe, unsubscribe } from './subscription.ts';
import { triggerKey } from './triggerKey.ts';

/** A slow activation must not remove what the next one created. */
const serialize = serializeByKey();

/** The instant trigger: starts workflows on the service's signed events. */
export class QrServiceTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: `${BRAND.name} Trigger`,
    name: 'qrServiceTrigger',
    icon: { light: 'file:../../icons/qrService.svg', dark: 'file:../../icons/qrService.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: EVENTS_SUBTITLE,
    description: NODE_DESCRIPTION,
    eventTriggerDescription: 'Waiting for an event of the service',
    triggerPanel: {
      header: 'Wait for an event of the service',
      executionsHelp: {
        inactive:
          'While you build the workflow, click the button, then trigger an event in the service, for example by publishing a code. With the option "Send a Sample When Testing", a sample arrives at once. When everything works, publish the workflow: it then runs on every event, and its runs are listed under Executions.',
        active:
          'The workflow runs on every event, and its runs are listed under Executions. To see one here, click the button, then trigger an event in the service. With the option "Send a Sample When Testing", a sample arrives at once.',
      },
      activationHint:
        'Once the workflow is published, it subscribes to the events automatically and runs whenever one arrives.',
    },
    activationMessage: 'The service now sends its events to this workflow.',
    defaults: { name: `${BRAND.name} Trigger` },
    builderHint: {
      searchHint: `Starts at once on events such as a published code or a low feedback score. Subscribes and verifies signatures by itself. n8n needs a public HTTPS address; without one, use ${BRAND.name} Polling Trigger. There is no event for a single scan: use ${BRAND.name} Polling Trigger with watch "scans".`,
    },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'qrServiceApi', required: true, testedBy: 'testConnection' }],
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' }],
    properties: [
      {
        displayName:
          'The service only sends to a public HTTPS address. Behind a firewall, use a tunnel or the polling trigger.',
        name: 'notice',
        type: 'notice',
        default: '',
      },
      EVENTS_PROPERTY,
      OPTIONS,
    ],
  };

  webhookMethods = {
    default: {
      async checkExists(this: IHookFunctions): Promise<boolean> {
        try {
          return await isSubscribed(this);
        } catch (error) {
          throw toNodeError(this.getNode(), error);
        }
      },
      async create(this: IHookFunctions): Promise<boolean> {
        try {
          await serialize(triggerKey(this), () => subscribe(this));
          return true;
        } catch (error) {
          throw toNodeError(this.getNode(), error);
        }
      },
      async delete(this: IHookFunctions): Promise<boolean> {
        try {
          await serialize(triggerKey(this), () => unsubscribe(this));
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
