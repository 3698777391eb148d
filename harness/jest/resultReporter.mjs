import { appendFileSync } from 'node:fs';

/** Appends a line of JSON to the file that `TEST_RESULTS` names when a run ends, for whoever runs it many times. */
export default class ResultReporter {
  onRunComplete(_contexts, results) {
    const failed = results.testResults.flatMap(({ testFilePath, testExecError, testResults }) => [
      ...(testExecError === undefined ? [] : [`${testFilePath}: ${testExecError.message}`]),
      ...testResults
        .filter(({ status }) => status === 'failed')
        .map(({ fullName }) => `${testFilePath}: ${fullName}`),
    ]);
    const line = { passed: results.numPassedTests, failed };
    appendFileSync(process.env.TEST_RESULTS, `${JSON.stringify(line)}\n`);
  }
}
