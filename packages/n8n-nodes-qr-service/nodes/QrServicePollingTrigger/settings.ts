import type { INodeProperties, IPollFunctions } from 'n8n-workflow';
import { BRAND, invalidParameter } from '../../deps.ts';
import { Parameters } from '../platform/parameters.ts';
import { collection } from '../platform/properties.ts';
import type { Watch } from './lists.ts';

/** The options, by their names, and the IDs of the only codes whose scans are wanted, if any. */
export type RowFilter = Partial<Record<'onlyNew' | 'onlyPublished', boolean>> & { codeIds?: string[] };

/** n8n's node picker recognizes the options to list as triggers by this label. */
const WATCH: INodeProperties = {
  displayName: 'Trigger On',
  name: 'watch',
  type: 'options',
  required: true,
  noDataExpression: true,
  options: [
    {
      name: 'Changed QR Codes',
      value: 'changedCodes',
      action: 'On new or changed QR code',
      description:
        'Triggers when QR codes have been created or changed since the last poll. Needs the scope qr:read.',
    },
    {
      name: 'Scans',
      value: 'scans',
      action: 'On QR code scanned',
      description:
        'Triggers when QR codes have been scanned since the last poll. The service sends no events for scans, so this is the only trigger for them. Needs the scope analytics:read.',
    },
  ],
  default: 'changedCodes',
  description: 'What starts the workflow',
};

const ONLY_NEW = {
  displayName: 'Only New',
  name: 'onlyNew',
  type: 'boolean',
  default: false,
  description:
    'Whether to return each QR code only once, when it first appears. Codes that already exist when you turn this on are never returned, even if they change.',
} satisfies INodeProperties;

const ONLY_PUBLISHED = {
  displayName: 'Only Published',
  name: 'onlyPublished',
  type: 'boolean',
  default: false,
  description: 'Whether to return only published QR codes. Other codes are returned once they are published.',
} satisfies INodeProperties;

const OPTIONS: INodeProperties = {
  ...collection('Option', ONLY_NEW, ONLY_PUBLISHED),
  displayOptions: { hide: { watch: ['scans'] } },
};

const QR_CODES: INodeProperties = {
  displayName: 'QR Codes',
  name: 'qrCodes',
  type: 'string',
  default: '',
  placeholder: `e.g. ${BRAND.redirectUrl}/table-4-7hk2`,
  description:
    'Only return scans of these QR codes: short links or IDs, separated by commas. Leave empty for all codes.',
  displayOptions: { show: { watch: ['scans'] } },
};

export const PROPERTIES: INodeProperties[] = [WATCH, QR_CODES, OPTIONS];

/** What the trigger watches, and which rows it emits. Throws a `ParameterError` for an invalid setting. */
export function readSettings(context: IPollFunctions): { watch: Watch; filter: RowFilter; named: string } {
  const parameters = Parameters.ofTrigger(context);
  const watch = parameters.oneOf({ ...WATCH, noDataExpression: false }) as Watch;
  if (watch === 'scans') return { watch, filter: {}, named: readNamed(parameters) };
  const options = parameters.in(OPTIONS);
  const filter = { onlyNew: options.yesNo(ONLY_NEW), onlyPublished: options.yesNo(ONLY_PUBLISHED) };
  return { watch, filter, named: '' };
}

/** The codes of the filter. Only commas come from values that are missing, which can't mean all codes. */
function readNamed(parameters: Parameters): string {
  const named = parameters.text(QR_CODES);
  if (!/^[\s,]+$/.test(named)) return named;
  const expected = 'short links or IDs, separated by commas';
  throw invalidParameter(named, { label: QR_CODES.displayName }, expected, 'Leave it empty for all codes.');
}
