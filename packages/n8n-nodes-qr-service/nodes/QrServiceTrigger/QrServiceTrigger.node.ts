import type {
  IHookFunctions,
  INodeType,
  INodeTypeDescription,
  IWebhookFunctions,
  IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { BRAND, turns } from '../../core.ts';
import { NODE_DESCRIPTION } from '../shared/description.ts';
import { toActivationError } from '../shared/toActivationError.ts';
import { EVENTS_PROPERTY, EVENTS_SUBTITLE } from './events.ts';
import { NOTICE, OPTIONS } from './options.ts';
import { respondToProbe } from './ownAddress.ts';
import { receive } from './receive.ts';
import { isSubscribed, subscribe, unsubscribe } from './subscription.ts';
import { triggerKey } from './triggerKey.ts';

/** A slow activation must not remove what the next one created. */
const inTurn = turns();

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
    eventTriggerDescription: 'Waiting for an event from the service',
    triggerPanel: {
      header: `Receive events from ${BRAND.name}`,
      executionsHelp: {
        inactive:
          'While building your workflow, click the button, then trigger an event in the service, for example by publishing a QR code. Or turn on "Send a Sample When Testing" to receive a sample event right away. When your workflow is ready, publish it. Each event then starts an execution, which you can see under Executions.',
        active:
          'Each event starts an execution, which you can see under Executions. To see an event here, click the button, then trigger one in the service. Or turn on "Send a Sample When Testing" to receive a sample event right away.',
      },
      activationHint: 'Once you publish the workflow, it subscribes to the events and runs on each of them.',
    },
    // n8n shows this before it has subscribed. Its default text would claim that the workflow already listens.
    activationMessage:
      'n8n is now subscribing to the events. Each event then starts an execution. If subscribing fails, an error message explains what to do.',
    defaults: { name: `${BRAND.name} Trigger` },
    builderHint: {
      searchHint: `Starts immediately on events such as a published QR code or a low feedback score. Subscribes to events and verifies signatures automatically. n8n needs a public HTTPS address; without one, use ${BRAND.name} Polling Trigger. There is no event for individual scans: use ${BRAND.name} Polling Trigger with watch "scans".`,
    },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'qrServiceApi', required: true, testedBy: 'testConnection' }],
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' }],
    properties: [
      {
        displayName: NOTICE,
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
          throw toActivationError(this.getNode(), error);
        }
      },
      async create(this: IHookFunctions): Promise<boolean> {
        try {
          await inTurn(triggerKey(this), () => subscribe(this));
          return true;
        } catch (error) {
          throw toActivationError(this.getNode(), error);
        }
      },
      async delete(this: IHookFunctions): Promise<boolean> {
        try {
          await inTurn(triggerKey(this), () => unsubscribe(this));
          return true;
        } catch (error) {
          throw toActivationError(this.getNode(), error);
        }
      },
    },
  };

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    return respondToProbe(this) ?? receive(this);
  }
}
