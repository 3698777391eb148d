// npm run lint:commits              checks the subjects of commits that aren't on origin/main
// npm run lint:commits -- <range>   checks those of a range, such as main..HEAD
import { execFileSync } from 'node:child_process';
import { findSubjectProblems } from './lint/commitSubjects.ts';

const [range = 'origin/main..HEAD'] = process.argv.slice(2);
const log = execFileSync('git', ['log', '--format=%h %s', range, '--'], { encoding: 'utf8' });
for (const line of log.split('\n').filter((text) => text !== '')) {
  const [commit = '', ...words] = line.split(' ');
  const subject = words.join(' ');
  for (const problem of findSubjectProblems(subject)) {
    console.error(`${commit} "${subject}" ${problem}`);
    process.exitCode = 1;
  }
}
