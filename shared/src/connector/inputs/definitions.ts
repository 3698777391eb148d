/** The actions that every connector has: the verb as an imperative and of a statement, and what follows it. */
export const ACTIONS = {
  create: {
    command: 'Create',
    statement: 'Creates',
    object: 'a dynamic QR code that points to a web address, published or as a draft',
  },
  publish: { command: 'Publish', statement: 'Publishes', object: 'a QR code so that its short link works' },
  retarget: {
    command: 'Update',
    statement: 'Updates',
    object: 'the destination of a QR code (retarget it) without reprinting it',
  },
  upsert: {
    label: 'Create or Update',
    command: 'Update',
    statement: 'Updates',
    object: 'the destination of a QR code (retarget it), or create and publish one if there is none yet',
  },
  render: {
    command: 'Download',
    statement: 'Creates',
    object: 'an image of a QR code, rendered as a PNG, SVG or PDF file',
  },
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
  /** What kind of value it takes. `code` names a QR code: by its ID, its short link or its URL in the API. */
  type: 'string' | 'integer' | 'boolean' | 'datetime' | 'choice' | 'code';
  required: boolean;
  /** The value of an empty input. */
  default?: string | boolean;
  example?: string;
  /** For the type `choice`: what is sent to the service, its label, and what it is for, to show in parentheses. */
  choices?: readonly { value: string; label: string; use: string }[];
}

/** An input without its name: what differs from optional text. */
type Unnamed = [label: string, help: string, details?: Partial<InputDefinition>];

function withKeys<Key extends string>(inputs: Record<Key, Unnamed>): Record<Key, InputDefinition> {
  const entries = Object.entries<Unnamed>(inputs).map(([key, [label, help, details]]) => {
    return [key, { key, label, help, type: 'string', required: false, ...details }];
  });
  return Object.fromEntries(entries) as Record<Key, InputDefinition>;
}

const TIME_FORM = 'in ISO 8601, for example `2026-01-31T09:00:00Z`';

/** The inputs of the service's actions (API text, "Endpoints" and "Creation input"). */
export const INPUTS = withKeys({
  name: ['Name', 'Display name. The short link is based on it.', { required: true, example: 'Table 4' }],
  targetUrl: [
    'Target URL',
    'Where the code points. You can update it later without reprinting the code.',
    { required: true, example: 'https://example.com/menu' },
  ],
  publish: [
    'Publish After Creating',
    "The short link doesn't work until the code is published.",
    { type: 'boolean', default: true },
  ],
  qrCodeId: [
    'QR Code',
    'Choose a code from the list, or use its ID or short link from an earlier step.',
    { type: 'code', required: true },
  ],
  matchBy: [
    'Match By',
    'How to find the code to update.',
    {
      type: 'choice',
      required: true,
      choices: [
        { value: 'id', label: 'QR Code ID or Short Link', use: 'a row without one gets a new code' },
        { value: 'name', label: 'Name', use: 'this name in any case, and created if there is none' },
      ],
    },
  ],
  url: [
    'New Target URL',
    'Where the code points from now on.',
    { required: true, example: 'https://example.com/summer-menu' },
  ],
  format: [
    'Format',
    'PNG for screens, SVG or PDF for print.',
    {
      type: 'choice',
      default: 'png',
      choices: [
        { value: 'png', label: 'PNG', use: 'for screens' },
        { value: 'svg', label: 'SVG', use: 'for print, at any size' },
        { value: 'pdf', label: 'PDF', use: 'for print' },
      ],
    },
  ],
  size: ['Size', "Size of the image, in the service's own unit.", { type: 'integer' }],
  updatedSince: [
    'Updated Since',
    `Only return QR codes that changed since this time, ${TIME_FORM}.`,
    { type: 'datetime' },
  ],
  since: ['Since', `Only return scans since this time, ${TIME_FORM}.`, { type: 'datetime' }],
  deduplicationKey: [
    'Deduplication Key',
    "Any text that is unique to this item, for example the row's ID.",
    { example: 'row-7' },
  ],
});
