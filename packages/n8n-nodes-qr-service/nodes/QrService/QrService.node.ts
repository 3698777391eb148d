import type { IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { BRAND } from '../../core.ts';
import { accountProperties } from './actions/account/index.ts';
import { qrCodeProperties } from './actions/qrCode/index.ts';
import { router } from './actions/router.ts';
import { scanProperties } from './actions/scan/index.ts';
import { NODE_DESCRIPTION } from '../shared/description.ts';
import { BUILDER_HINTS } from './descriptions/builderHints.ts';
import { resourceProperty } from './descriptions/resource.ts';
import { subtitle } from './descriptions/subtitle.ts';
import { testConnection } from './methods/credentialTest.ts';
import { searchQrCodes } from './methods/listSearch.ts';

const PROPERTIES = [resourceProperty, ...accountProperties, ...qrCodeProperties, ...scanProperties];

/** The action node: QR codes, their images, scans and the account. */
export class QrService implements INodeType {
  description: INodeTypeDescription = {
    displayName: BRAND.name,
    name: 'qrService',
    icon: { light: 'file:../../icons/qrService.svg', dark: 'file:../../icons/qrService.dark.svg' },
    group: ['transform'],
    version: 1,
    subtitle: subtitle(PROPERTIES),
    description: NODE_DESCRIPTION,
    defaults: { name: BRAND.name },
    usableAsTool: true,
    builderHint: {
      searchHint: `For dynamic QR codes, whose destination can be updated after printing. Creates, publishes and finds codes, updates their destinations (retarget), downloads their images and reads scans. A short link works only after its code is published; Create publishes by default. To keep rows and codes in step, use Create or Update, which updates the existing code of a row or creates it. To start a workflow on events, use ${BRAND.name} Trigger; on scans, ${BRAND.name} Polling Trigger.`,
      extraTypeDefContent: BUILDER_HINTS,
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
