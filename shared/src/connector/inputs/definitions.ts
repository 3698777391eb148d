/** The actions that every connector has: the verb as an imperative, and what follows it. */
export const ACTIONS = {
  create: {
    command: 'Create',
    object: 'a dynamic QR code that points to a web address, published or as a draft',
  },
  publish: { command: 'Publish', object: 'a QR code so that its short link works' },
  retarget: {
    command: 'Update',
    object: 'the destination of a QR code (retarget it) without reprinting it',
  },
  upsert: {
    label: 'Create or Update',
    command: 'Update',
    object: 'the destination of a QR code (retarget it), or create and publish one if there is none yet',
  },
  render: { command: 'Download', object: 'an image of a QR code, rendered as a PNG, SVG or PDF file' },
} as const;

/** What finds the code of a row whose `code` is empty: its name, or nothing, so that a new one is created. */
export const MATCH_BY = ['name', 'id'] as const;

/** An input of an action as users see it, the same on every platform. A platform turns it into its own kind of field. */
export interface InputDefinition {
  key: string;
  /** In title case. */
  label: string;
  /** Whole sentences, each with its period, with values in backticks. A platform may add its own. */
  help: string;
  /** What kind of value it takes. `code` names a QR code: by its ID, its short link or its URL in the API. `dictionary`: pairs. */
  type: 'string' | 'integer' | 'boolean' | 'datetime' | 'choice' | 'code' | 'dictionary';
  required: boolean;
  /** The value of an empty input. */
  default?: string | boolean;
  example?: string;
  /** For the type `choice`: what is sent to the service, its label, and what it is for, to show in parentheses. */
  choices?: readonly { value: string; label: string; use: string }[];
}

type Input = Pick<InputDefinition, 'label' | 'help'> & Partial<InputDefinition>;

/** Completes inputs with their keys: most are optional text. */
export function withKeys<Key extends string>(inputs: Record<Key, Input>): Record<Key, InputDefinition> {
  const entries = Object.entries<Input>(inputs).map(([key, input]) => {
    return [key, { key, type: 'string', required: false, ...input }];
  });
  return Object.fromEntries(entries) as Record<Key, InputDefinition>;
}

const TIME_FORM = 'in ISO 8601, for example `2026-01-31T09:00:00Z`';

/** The inputs of the service's actions. */
export const INPUTS = withKeys({
  name: {
    label: 'Name',
    help: 'Display name. The short link is based on it.',
    required: true,
    example: 'Table 4',
  },
  targetUrl: {
    label: 'Target URL',
    help: 'Where the code points. You can update it later without reprinting the code.',
    required: true,
    example: 'https://example.com/menu',
  },
  urlParameters: {
    label: 'URL Parameters',
    help: 'Added to the target URL, for example `utm_source` = `qr`. One that the URL already has is replaced. One without a value is left out.',
    type: 'dictionary',
  },
  publish: {
    label: 'Publish After Creating',
    help: "The short link doesn't work until the code is published.",
    type: 'boolean',
    default: true,
  },
  qrCodeId: {
    label: 'QR Code',
    help: 'Choose a code from the list, or use its ID or short link from an earlier step.',
    type: 'code',
    required: true,
  },
  matchBy: {
    label: 'Match By',
    help: 'How to find the code to update.',
    type: 'choice',
    required: true,
    choices: [
      { value: 'id', label: 'QR Code ID or Short Link', use: 'a row without one gets a new code' },
      { value: 'name', label: 'Name', use: 'ignores case; creates the code if none has the name' },
    ],
  },
  url: {
    label: 'New Target URL',
    help: 'Where the code points from now on.',
    required: true,
    example: 'https://example.com/summer-menu',
  },
  format: {
    label: 'Format',
    help: 'PNG for screens, SVG or PDF for print.',
    type: 'choice',
    default: 'png',
    choices: [
      { value: 'png', label: 'PNG', use: 'for screens' },
      { value: 'svg', label: 'SVG', use: 'for print, at any size' },
      { value: 'pdf', label: 'PDF', use: 'for print' },
    ],
  },
  size: { label: 'Size', help: 'Leave empty for the default size.', type: 'integer' },
  updatedSince: {
    label: 'Updated Since',
    help: `Only return QR codes that changed since this time, ${TIME_FORM}.`,
    type: 'datetime',
  },
  since: { label: 'Since', help: `Only scans since this time, ${TIME_FORM}.`, type: 'datetime' },
  until: { label: 'Until', help: `Only scans before this time, ${TIME_FORM}.`, type: 'datetime' },
  deduplicationKey: {
    label: 'Deduplication Key',
    help: "Any text that is unique to this item, for example the row's ID.",
    example: 'row-7',
  },
});
