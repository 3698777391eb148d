import { BRAND } from '../../contract/brand.ts';
import { IMAGE_FORMATS } from '../../contract/types.ts';
import { readConnection } from './connection.ts';
import { INPUTS, MATCH_BY, type InputDefinition } from './definitions.ts';

it.each(Object.values<InputDefinition>(INPUTS))(
  '$key has a title-case label, help in whole sentences, and choices only if it is a choice',
  ({ label, help, type, choices, default: usual }) => {
    expect(label).toMatch(/^[A-Z]\w*( (?:by )?[A-Z]\w*)*$/);
    expect(help).toMatch(/^[A-Z][^]{18,}\.$/);
    // Both platforms require URLs to be marked as code.
    expect(help.replaceAll(/`[^`]*`/g, '')).not.toMatch(/:\/\/|`/);
    expect(choices !== undefined).toBe(type === 'choice');
    if (choices !== undefined && usual !== undefined)
      expect(choices.map(({ value }) => value)).toContain(usual);
  },
);

it('offers the image formats of the service, and each way to match', () => {
  const valuesOf = ({ choices = [] }: InputDefinition) => choices.map(({ value }) => value);
  expect(valuesOf(INPUTS.format)).toEqual(IMAGE_FORMATS);
  expect(valuesOf(INPUTS.matchBy).sort()).toEqual([...MATCH_BY].sort());
});

const { baseUrl } = BRAND;
const DEFAULTS = { baseUrl, apiKey: '', authHeader: 'authorization', allowedTargets: [] };

it.each<[object, object]>([
  [{}, {}],
  [{ baseUrl: '', apiKey: ' ', authHeader: null, allowedTargets: '' }, {}],
  [{ baseUrl: ' https://a.example' }, { baseUrl: 'https://a.example' }],
  ...['a.example', 'qr.a.example:8443/v1', '10.0.0.5:8080'].map((host): [object, object] => [
    { baseUrl: ` ${host} ` },
    { baseUrl: `https://${host}` },
  ]),
  ...['http://localhost:3000', 'HTTPS://a.example'].map((url): [object, object] => [
    { baseUrl: url },
    { baseUrl: url },
  ]),
  [{ apiKey: 'k ' }, { apiKey: 'k' }],
  [{ authHeader: 'api-key' }, { authHeader: 'api-key' }],
  [{ allowedTargets: 'a.example' }, { allowedTargets: ['a.example'] }],
  [{ allowedTargets: ['a.example', ' ', 'b.example'] }, { allowedTargets: ['a.example', 'b.example'] }],
])('reads the connection %j', (fields, expected) =>
  expect(readConnection(fields)).toEqual({ ...DEFAULTS, ...expected }),
);

it.each<[string, unknown, label: string]>([
  ['baseUrl', 'hunter2', 'Base URL'],
  ['baseUrl', 'qrs_hunter2.x', 'Base URL'],
  ['baseUrl', 'ftp://hunter2.example', 'Base URL'],
  ['apiKey', { key: 'hunter2' }, 'API Key'],
  ['authHeader', 'hunter2', 'Send Key In'],
  ['allowedTargets', [['hunter2', 'hunter2']], 'Allowed Destinations'],
  ['allowedTargets', undefined, 'Allowed Destinations'],
  ['allowedTargets', null, 'Allowed Destinations'],
  ['allowedTargets', [], 'Allowed Destinations'],
  ['allowedTargets', 'hunter2 !', 'Allowed Destinations'],
])('refuses a connection with the %s %j without showing it', (key, value, label) =>
  expect(() => readConnection({ [key]: value })).toThrow(new RegExp(`^(?!.*hunter2).*${label}`, 'i')),
);
