import { omitUndefined, type InputDefinition } from '@qr-service/core/connector';
import type { PlainInputField } from 'zapier-platform-core';

/** What an input needs only in Zapier; `more` is appended to the shared help text. */
interface OwnDetails extends Partial<PlainInputField> {
  more?: string;
}

/** Converts one of the core's inputs to a field of a step. */
export function inputField(input: InputDefinition, { more, ...own }: OwnDetails = {}): PlainInputField {
  const { key, label, help, type, required, choices, example, default: value } = input;
  return {
    key,
    label,
    type: type === 'integer' || type === 'boolean' ? type : 'string',
    required,
    helpText: more === undefined ? help : `${help} ${more}`,
    ...omitUndefined({
      placeholder: example,
      default: value === undefined ? undefined : String(value),
      choices: choices?.map((choice) => dropdownChoice(choice.value, `${choice.label} (${choice.use})`)),
    }),
    ...own,
  };
}

/** A choice of a dropdown, in Zapier's form. */
export function dropdownChoice(value: string, label: string) {
  return { value, sample: value, label };
}
