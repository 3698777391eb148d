import {
  NodeConnectionTypes,
  type IHookFunctions,
  type INodeType,
  type INodeTypeDescription,
  type IWebhookFunctions,
  type IWebhookResponseData,
} from 'n8n-workflow';
import { BRAND } from '../../deps.ts';
import { toActivationError } from '../platform/errors.ts';
import { receive } from './receive.ts';
import { PROPERTIES, SUBTITLE } from './settings.ts';
import { isSubscribed, subscribe, unsubscribe } from './subscription.ts';

/** The instant trigger: starts workflows on the service's signed events. */
export class QrServiceTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: `${BRAND.name} Trigger`,
    name: 'qrServiceTrigger',
    icon: { light: 'file:../../icons/qrService.svg', dark: 'file:../../icons/qrService.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: SUBTITLE,
    // n8n's node picker shows it for the whole package.
    description:
      'Create and update QR codes, or start the workflow when codes are published, changed or get feedback',
    eventTriggerDescription: 'Waiting for an event from the service',
    triggerPanel: {
      header: `Receive events from ${BRAND.name}`,
      executionsHelp: {
        inactive:
          'While building your workflow, click the button, then trigger an event in the service, for example by publishing a QR code. Or add the option "Send a Sample When Testing" to receive a sample event right away. When your workflow is ready, publish it. Each event then starts an execution, which you can see under Executions.',
        active:
          'Each event starts an execution, which you can see under Executions. To see an event here, click the button, then trigger one in the service. Or add the option "Send a Sample When Testing" to receive a sample event right away.',
      },
      activationHint: 'Once you publish the workflow, it subscribes to the events and runs on each of them.',
    },
    // n8n shows this before it has subscribed. Its default text would claim that the workflow already listens.
    activationMessage:
      'n8n is now subscribing to the events. Each event then starts an execution. If subscribing fails, an error message explains what to do.',
    defaults: { name: `${BRAND.name} Trigger` },
    builderHint: {
      searchHint: `Starts immediately on events such as a published QR code or a low feedback score. Subscribes to events and verifies signatures automatically. n8n needs a public HTTPS URL; without one, use ${BRAND.name} Polling Trigger. The service sends no events for individual scans; for those, use ${BRAND.name} Polling Trigger with watch "scans".`,
    },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'qrServiceApi', required: true, testedBy: 'testConnection' }],
    webhooks: [
      // The URL is of no use to people: the trigger subscribes it by itself.
      { name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook', ndvHideUrl: true },
    ],
    properties: PROPERTIES,
  };

  webhookMethods = {
    default: {
      async checkExists(this: IHookFunctions): Promise<boolean> {
        return Promise.resolve(isSubscribed(this));
      },
      async create(this: IHookFunctions): Promise<boolean> {
        return orActivationError(this, subscribe(this));
      },
      async delete(this: IHookFunctions): Promise<boolean> {
        return orActivationError(this, unsubscribe(this));
      },
    },
  };

  webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    return Promise.resolve(receive(this));
  }
}

async function orActivationError(context: IHookFunctions, work: Promise<void>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    throw toActivationError(context.getNode(), error);
  }
}
