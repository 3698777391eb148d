import type { INodeProperties, NodePropertyTypes } from 'n8n-workflow';
import { omitUndefined, type InputDefinition } from '../../deps.ts';

const TYPES = {
  string: { type: 'string', empty: '' },
  integer: { type: 'number', empty: 0 },
  boolean: { type: 'boolean', empty: false },
  datetime: { type: 'dateTime', empty: '' },
  choice: { type: 'options', empty: '' },
  dictionary: { type: 'fixedCollection', empty: {} },
  code: { type: 'resourceLocator', empty: { mode: 'list', value: '' } },
} satisfies Record<InputDefinition['type'], { type: NodePropertyTypes; empty: INodeProperties['default'] }>;

/** Turns one of the core's inputs into a node property, with n8n-specific additions. */
export function inputProperty(input: InputDefinition, own: Partial<INodeProperties> = {}): INodeProperties {
  const { key, label, help, required, example, choices } = input;
  const { type, empty } = TYPES[input.type];
  return {
    displayName: label,
    name: key,
    type,
    default: input.default ?? empty,
    description: sentences(help),
    ...omitUndefined({
      required: required || undefined,
      placeholder: example === undefined ? undefined : `e.g. ${example}`,
      options: choices
        ?.map((choice) => ({ name: choice.label, value: choice.value }))
        .sort((a, b) => a.name.localeCompare(b.name)),
    }),
    ...own,
  };
}

/** The Options of a node or an operation, or the Filters of a list. */
export function collection(what: 'Option' | 'Filter', ...options: INodeProperties[]): INodeProperties {
  return {
    displayName: `${what}s`,
    name: `${what.toLowerCase()}s`,
    type: 'collection',
    placeholder: `Add ${what}`,
    default: {},
    options,
  };
}

/** Text in n8n's style: without backticks, and without a period after a single sentence. */
export function sentences(...parts: readonly string[]): string {
  const text = parts.join(' ').replaceAll('`', '');
  return /[.!?] /.test(text) ? text : text.replace(/\.$/, '');
}
