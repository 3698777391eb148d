import base from './jest.config.mjs';

/**
 * What `npm run test:all` adds: tests that are large by nature. Each starts processes, packs, builds, installs a tool or
 * handles thousands of rows.
 * @type {import('jest').Config}
 */
export default {
  ...base,
  testMatch: base.testMatch.map((pattern) => pattern.replace('*.test.ts', '*.large.test.ts')),
  testPathIgnorePatterns: base.testPathIgnorePatterns.filter((pattern) => !pattern.includes('large')),
  testTimeout: 120_000,
};
