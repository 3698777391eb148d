import { IMAGE_FORMATS } from '../contract/types.ts';
import { INPUTS, type InputDefinition } from './inputs.ts';

const inputs = Object.entries<InputDefinition>(INPUTS);

it.each(inputs)(
  '%s has its name as its key, a title-case label and help in whole sentences',
  (name, input) => {
    expect(input.key).toBe(name);
    expect(input.label).toMatch(/^[A-Z]\w*( (?:by )?[A-Z]\w*)*$/);
    expect(input.help).toMatch(/^[A-Z][^]{18,}\.$/);
    // Both platforms require URLs to be marked as code.
    expect(input.help.replaceAll(/`[^`]*`/g, '')).not.toMatch(/:\/\/|`/);
  },
);

it.each(inputs)('%s has choices only if it is a choice, including its default', (_name, input) => {
  expect(input.choices !== undefined).toBe(input.type === 'choice');
  if (input.choices !== undefined && input.default !== undefined)
    expect(input.choices.map(({ value }) => value)).toContain(input.default);
});

it('offers the image formats of the service', () => {
  expect(INPUTS.format.choices?.map(({ value }) => value)).toEqual(IMAGE_FORMATS);
});
