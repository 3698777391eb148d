import type { Era, TransportKind } from './support/world.ts';

/** Tests that need more of a transport than one small result. All others run in one process only. */
const SUITES = ['midCall', 'tools'];

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
