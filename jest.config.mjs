// One seed for all random tests of a run, inherited by workers.
process.env.SEED ??= String(Date.now() % 1_000_000_000);
// Without the names of tests, as in `npm test`, long tables run a few of their rows.
process.env.TEST_ROWS ??= process.argv.slice(2).some((word) => !word.startsWith('-')) ? 'all' : 'some';

const toCommonJs = [
  '@swc/jest',
  { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'commonjs' } },
];
/** Published as ES modules only: p-map, the SDK of MCP Apps, nock and its dependencies. */
const esModules =
  '(p-map|@modelcontextprotocol/ext-apps|nock|@mswjs/interceptors|@open-draft/until|rettime)/';

/** @type {import('jest').Config} */
export default {
  testMatch: [
    '<rootDir>/shared/src/**/*.test.ts',
    '<rootDir>/packages/*/{src,test}/**/*.test.ts',
    '<rootDir>/{demo,scripts,test}/**/*.test.ts',
  ],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '<rootDir>/test/bench/', '\\.large\\.test\\.ts$'],
  modulePathIgnorePatterns: ['/dist/'],
  testSequencer: '<rootDir>/test/support/jest/zapierLast.mjs',
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['@qr-service/source', 'node', 'require', 'default'] },
  transform: { '\\.ts$': toCommonJs, [`/node_modules/${esModules}.*\\.m?js$`]: toCommonJs },
  transformIgnorePatterns: [`/node_modules/(?!${esModules})`],
  extensionsToTreatAsEsm: [],
  reporters: [
    'default',
    '<rootDir>/test/support/jest/seedReporter.mjs',
    ...(process.env.TEST_RESULTS === undefined ? [] : ['<rootDir>/test/support/jest/resultReporter.mjs']),
  ],
  // Only ends a hang.
  testTimeout: 120_000,
  // Freeing the heap of a worker that has already exited takes about half a second, Jest's default, after which Jest
  // kills it and blames the tests. A test that leaves something open is still reported, after this time.
  workerGracefulExitTimeout: 10_000,
  maxWorkers: '100%',
};
