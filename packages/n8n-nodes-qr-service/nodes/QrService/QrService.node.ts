import {
  NodeConnectionTypes,
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodePropertyOptions,
  type INodeType,
  type INodeTypeDescription,
} from 'n8n-workflow';
import { BRAND } from '../../deps.ts';
import { testConnection } from './methods/credentialTest.ts';
import { searchQrCodes } from './methods/listSearch.ts';
import { PROPERTIES, resourceProperty, RESOURCES } from './resources.ts';
import { router } from './router.ts';

/** Labels of resources and operations, by their values. */
const LABELS = new Map(
  [resourceProperty, ...Object.values(RESOURCES).map((resource) => resource.operationProperty)]
    .flatMap(({ options }) => options as INodePropertyOptions[])
    .map(({ name, value }) => [value, name]),
);

/** What the canvas shows below the node: "Create: QR Code". Other values, as in an imported workflow, are shown unchanged. */
const SUBTITLE = `={{ [$parameter["operation"], $parameter["resource"]].filter(Boolean).map((value) => (${JSON.stringify(Object.fromEntries(LABELS))})[value] ?? value).join(": ") }}`;

/** The action node: QR codes, their images, scans and the account. */
export class QrService implements INodeType {
  description: INodeTypeDescription = {
    displayName: BRAND.name,
    name: 'qrService',
    icon: { light: 'file:../../icons/qrService.svg', dark: 'file:../../icons/qrService.dark.svg' },
    group: ['transform'],
    version: 1,
    subtitle: SUBTITLE,
    description: 'Create QR codes, update their destinations, download images and count scans',
    defaults: { name: BRAND.name },
    usableAsTool: true,
    builderHint: {
      searchHint: `For dynamic QR codes, whose destination can be updated after printing. Creates, publishes and finds codes, updates their destinations (retarget), downloads their images, and counts and lists scans. A short link works only after its code is published; Create publishes by default. To keep rows and codes in step, use Create or Update, which updates the existing code of a row or creates it. To start a workflow on events, use ${BRAND.name} Trigger; on scans, ${BRAND.name} Polling Trigger.`,
    },
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'qrServiceApi', required: true, testedBy: 'testConnection' }],
    properties: PROPERTIES,
  };

  methods = { credentialTest: { testConnection }, listSearch: { searchQrCodes } };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    return [await router(this)];
  }
}
