/** Tools such as git log and GitHub cut longer ones. */
const MAX_LENGTH = 72;

/** "Added", "Adding" and "Adds", but not imperatives that end the same way. */
const NOT_IMPERATIVE =
  /^(?!(?:Alias|Bring|Embed|Exceed|Feed|Need|Ping|Proceed|Seed|Shed|Speed)\b)\p{L}+(?:ed|ing|[^su]s)\b/u;
const SAYS_NOTHING =
  /^(?:re)?format\b|^wip\b|^(?:fixup|squash)!|^(?:fix|address|apply) (?:ci|lint|review|typos?)\b/i;

/** What git writes by itself. */
const MERGE_OF_A_BRANCH = /^merge (?:(?:remote-tracking )?branch|pull request|commit|tag)\b/i;

const RULES: readonly (readonly [isBroken: (subject: string) => boolean, problem: string])[] = [
  [(subject) => subject.length > MAX_LENGTH, `is longer than ${MAX_LENGTH} characters`],
  [(subject) => /^\S+: /.test(subject), 'has a prefix'],
  [(subject) => !/^\p{Lu}/u.test(subject), 'has no capital letter'],
  [(subject) => subject.endsWith('.'), 'ends with a full stop'],
  [(subject) => NOT_IMPERATIVE.test(subject), 'isn\'t an imperative, such as "Add"'],
  [(subject) => SAYS_NOTHING.test(subject), 'says nothing: make it part of the commit that it corrects'],
  [(subject) => MERGE_OF_A_BRANCH.test(subject), 'says nothing: name what the merge brings'],
];

/** Returns what is wrong with the subject of a commit. */
export function findSubjectProblems(subject: string): string[] {
  return RULES.filter(([isBroken]) => isBroken(subject)).map(([, problem]) => problem);
}
