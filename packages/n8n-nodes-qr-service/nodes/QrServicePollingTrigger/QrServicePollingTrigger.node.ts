import {
  NodeConnectionTypes,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  type IPollFunctions,
} from 'n8n-workflow';
import { BRAND } from '../../deps.ts';
import { toActivationError, toNodeError } from '../platform/errors.ts';
import { poll } from './poll.ts';
import { PROPERTIES } from './settings.ts';

/** The polling trigger: starts workflows on changed QR codes or scans, without a public URL. */
export class QrServicePollingTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: `${BRAND.name} Polling Trigger`,
    name: 'qrServicePollingTrigger',
    icon: { light: 'file:../../icons/qrService.svg', dark: 'file:../../icons/qrService.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: '={{ $parameter["watch"] === "scans" ? "Scans" : "Changed QR codes" }}',
    description: "Starts the workflow when QR codes are changed or scanned. Doesn't need a public URL.",
    defaults: { name: `${BRAND.name} Polling Trigger` },
    builderHint: {
      searchHint: `Starts on new scans or changed QR codes at each polling interval, without a public URL. The only trigger for individual scans. For other events as they happen, use ${BRAND.name} Trigger.`,
    },
    polling: true,
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'qrServiceApi', required: true, testedBy: 'testConnection' }],
    properties: PROPERTIES,
  };

  async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
    try {
      return await poll(this);
    } catch (error) {
      // For a test in the editor, n8n shows the description as well.
      const toError = this.getMode() === 'manual' ? toNodeError : toActivationError;
      throw toError(this.getNode(), error);
    }
  }
}
