/** @type {import('jest').Config} */
export default {
  testMatch: [
    '<rootDir>/shared/src/**/*.test.ts',
    '<rootDir>/packages/*/{src,test}/**/*.test.ts',
    '<rootDir>/{demo,scripts,test,tools}/**/*.test.ts',
  ],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '<rootDir>/test/bench/'],
  modulePathIgnorePatterns: ['/dist/'],
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['@qr-service/source', 'node', 'require', 'default'] },
  transform: {
    '\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'commonjs' } },
    ],
  },
  extensionsToTreatAsEsm: [],
  testTimeout: 20_000,
  maxWorkers: 2,
};
