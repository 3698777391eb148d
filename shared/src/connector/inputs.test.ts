import { BRAND } from '../contract/brand.ts';
import { IMAGE_FORMATS } from '../contract/types.ts';
import { readConnection } from './connection.ts';
import { INPUTS, MATCH_BY, type InputDefinition } from './inputs.ts';

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

it('offers the image formats of the service, and each way to match', () => {
  const valuesOf = ({ choices = [] }: InputDefinition) => choices.map(({ value }) => value);
  expect(valuesOf(INPUTS.format)).toEqual(IMAGE_FORMATS);
  expect(valuesOf(INPUTS.matchBy).sort()).toEqual([...MATCH_BY].sort());
});

const { baseUrl } = BRAND;
const DEFAULTS = { baseUrl, apiKey: '', authHeader: 'authorization', allowedTargets: [] };

it.each<[Record<string, unknown>, object]>([
  [{}, {}],
  [{ baseUrl: '', apiKey: ' ', authHeader: null, allowedTargets: '' }, {}],
  [
    { baseUrl: ' https://a.example', apiKey: 'k ' },
    { baseUrl: 'https://a.example', apiKey: 'k' },
  ],
  [{ authHeader: 'api-key' }, { authHeader: 'api-key' }],
  [{ allowedTargets: 'a.example' }, { allowedTargets: ['a.example'] }],
  [{ allowedTargets: ['a.example', ' ', 'b.example'] }, { allowedTargets: ['a.example', 'b.example'] }],
])('reads the connection %j', (fields, expected) =>
  expect(readConnection(fields)).toEqual({ ...DEFAULTS, ...expected }),
);

it.each<[string, unknown, label: string]>([
  ['baseUrl', 'hunter2', 'Base URL'],
  ['apiKey', { key: 'hunter2' }, 'API Key'],
  ['authHeader', 'hunter2', 'Send Key In'],
  ['allowedTargets', [['hunter2', 'hunter2']], 'Allowed Destinations'],
  ['allowedTargets', undefined, 'Allowed Destinations'],
  ['allowedTargets', 'hunter2 !', 'Allowed Destinations'],
])('refuses a connection with the %s %j without showing it', (key, value, label) =>
  expect(() => readConnection({ [key]: value })).toThrow(new RegExp(`^(?!.*hunter2).*${label}`, 'i')),
);
