import base from './jest.config.mjs';

/**
 * The large tests, which `npm run test:all` adds. They start processes, pack, build, install tools or handle thousands
 * of rows.
 * @type {import('jest').Config}
 */
export default {
  ...base,
  testMatch: base.testMatch.map((pattern) => pattern.replace('*.test.ts', '*.large.test.ts')),
  testPathIgnorePatterns: base.testPathIgnorePatterns.filter((pattern) => !pattern.includes('large')),
  testTimeout: 120_000,
};
