import { BRAND } from '../contract/brand.ts';
import { checkConnection } from './connection.ts';

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
  expect(checkConnection(fields)).toEqual({ ...DEFAULTS, ...expected }),
);

it.each<[string, unknown, label: string]>([
  ['baseUrl', 'hunter2', 'Base URL'],
  ['apiKey', { key: 'hunter2' }, 'API Key'],
  ['authHeader', 'hunter2', 'Send Key In'],
  ['allowedTargets', [['hunter2', 'hunter2']], 'Allowed Destinations'],
  ['allowedTargets', undefined, 'Allowed Destinations'],
  ['allowedTargets', 'hunter2 !', 'Allowed Destinations'],
])('refuses a connection with the %s %j without showing it', (key, value, label) =>
  expect(() => checkConnection({ [key]: value })).toThrow(new RegExp(`^(?!.*hunter2).*${label}`, 'i')),
);
