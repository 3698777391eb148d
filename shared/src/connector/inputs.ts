import type { ImageFormat } from '../contract/types.ts';
import type { MatchBy } from './CodeUpserter.ts';

/** What kind of value an input takes. `code` names a QR code: by its ID, its short link or its URL in the API. */
type InputType = 'string' | 'integer' | 'boolean' | 'datetime' | 'choice' | 'code';

/** One of an input's choices. */
interface InputChoice {
  /** What is sent to the service. */
  value: string;
  label: string;
  /** What it is for, to show in parentheses. */
  use: string;
}

/**
 * An input of an action as users see it, the same on every platform. A platform turns it into its own kind of field.
 */
export interface InputDefinition {
  /** Name of the value. */
  key: string;
  /** In title case. */
  label: string;
  /** Whole sentences, each with its period, with values in backticks. A platform may add its own. */
  help: string;
  type: InputType;
  required: boolean;
  /** The value of an empty input. */
  default?: string | boolean;
  /** An example of a value. */
  example?: string;
  /** For the type `choice`. */
  choices?: readonly InputChoice[];
}

type Details = Omit<Partial<InputDefinition>, 'key' | 'label' | 'help'>;
type Unnamed = Omit<InputDefinition, 'key'>;

function input(
  label: string,
  help: string,
  { type = 'string', required = false, ...details }: Details = {},
): Unnamed {
  return { label, help, type, required, ...details };
}

/** Inputs with their names as keys. */
function withKeys<Key extends string>(inputs: Record<Key, Unnamed>): Record<Key, InputDefinition> {
  const entries = Object.entries<Unnamed>(inputs).map(([key, details]) => [key, { key, ...details }]);
  return Object.fromEntries(entries) as Record<Key, InputDefinition>;
}

const FORMAT_CHOICES = {
  png: { label: 'PNG', use: 'for screens' },
  svg: { label: 'SVG', use: 'for print, at any size' },
  pdf: { label: 'PDF', use: 'for print' },
} satisfies Record<ImageFormat, Omit<InputChoice, 'value'>>;

const MATCH_CHOICES = {
  id: { label: 'QR Code ID or Short Link', use: 'a row without one gets a new code' },
  name: { label: 'Name', use: 'exactly this name, and created if there is none' },
} satisfies Record<MatchBy, Omit<InputChoice, 'value'>>;

const TIME_FORM = 'in ISO 8601, for example `2026-01-31T09:00:00Z`';

/**
 * The inputs of the service's actions (API text, "Endpoints" and "Creation input").
 */
export const INPUTS = withKeys({
  name: input('Name', 'Display name. The short link is based on it.', {
    required: true,
    example: 'Table 4',
  }),
  targetUrl: input(
    'Target URL',
    'Where the code points. You can update it later without reprinting the code.',
    { required: true, example: 'https://example.com/menu' },
  ),
  publish: input('Publish After Creating', "The short link doesn't work until the code is published.", {
    type: 'boolean',
    default: true,
  }),
  qrCodeId: input(
    'QR Code',
    'Choose a code from the list, or use its ID or short link from an earlier step.',
    { type: 'code', required: true },
  ),
  matchBy: input('Match By', 'How to find the code to update.', {
    type: 'choice',
    required: true,
    choices: Object.entries(MATCH_CHOICES).map(([value, choice]) => ({ value, ...choice })),
  }),
  url: input('New Target URL', 'Where the code points from now on.', {
    required: true,
    example: 'https://example.com/summer-menu',
  }),
  format: input('Format', 'PNG for screens, SVG or PDF for print.', {
    type: 'choice',
    default: 'png',
    choices: Object.entries(FORMAT_CHOICES).map(([value, choice]) => ({ value, ...choice })),
  }),
  size: input('Size', "Size of the image, in the service's own unit.", { type: 'integer' }),
  updatedSince: input('Updated Since', `Only return QR codes that changed since this time, ${TIME_FORM}.`, {
    type: 'datetime',
  }),
  since: input('Since', `Only return scans since this time, ${TIME_FORM}.`, { type: 'datetime' }),
  deduplicationKey: input(
    'Deduplication Key',
    "Any text that is unique to this item, for example the row's ID.",
    { example: 'row-7' },
  ),
});
