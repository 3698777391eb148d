import { ERAS } from './support/world.ts';

/** The tests of what clients see, which don't depend on the transport. */
const SUITES = [
  'access',
  'arguments',
  'createQrCodes',
  'images',
  'midCall',
  'resources',
  'tools',
  'upsertQrCodes',
];

// The same tests over HTTP, with a process for each server.
describe.each(ERAS)('over HTTP, with clients of the %s era', (era) => {
  describe.each(SUITES)('%s', (suite) => {
    process.env['MCP_TEST_TRANSPORT'] = 'http';
    process.env['MCP_TEST_ERA'] = era;
    jest.isolateModules(() => {
      jest.requireActual(`./${suite}.test.ts`);
    });
  });
});
