import base from './jest.config.mjs';

// Inherited by workers.
process.env.TEST_RUNS = 'all';
process.env.TEST_ROWS = 'all';

/**
 * All tests: `npm run test:all`. Random ones run more often than in `npm test`.
 * @type {import('jest').Config}
 */
export default {
  ...base,
  testPathIgnorePatterns: base.testPathIgnorePatterns.filter((pattern) => !pattern.includes('large')),
};
