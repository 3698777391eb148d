import type { Era, TransportKind } from './support/world.ts';

/** The tests of what clients see, which don't depend on the transport: each of their servers gets a process here. */
const SUITES = [
  'access',
  'arguments',
  'createQrCodes',
  'images',
  'lists',
  'midCall',
  'resources',
  'serviceTexts',
  'tools',
  'upsertQrCodes',
];

const PROCESSES: [TransportKind, Era][] = [
  ['stdio', 'modern'],
  ['http', 'legacy'],
  ['http', 'modern'],
];

describe.each(PROCESSES)('over %s, with clients of the %s era', (transport, era) => {
  describe.each(SUITES)('%s', (suite) => {
    process.env['MCP_TEST_TRANSPORT'] = transport;
    process.env['MCP_TEST_ERA'] = era;
    jest.isolateModules(() => {
      jest.requireActual(`./${suite}.test.ts`);
    });
  });
});
