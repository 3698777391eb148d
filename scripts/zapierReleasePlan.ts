/** How `npm run zapier:release` is called. */
export const USAGE = `npm run zapier:release -- <stage> [--dry-run]

  check                          checks the app before an upload
  preview [email ...]            checks, builds and uploads a private version, and invites people to it
  promote                        checks, then makes the uploaded version the public one
  migrate <from> <percent>       moves a share of the users of an older version to this one
  migrate <from> <email>         moves one user
  rollback <to>                  moves all users of this version back to an older one
  deprecate <version> <date>     shuts down an older version on a date (YYYY-MM-DD)

This version is the one in packages/zapier-qr-service/package.json. --dry-run only prints the commands.
For the whole procedure, see packages/zapier-qr-service/RELEASING.md`;

/** The arguments of a stage aren't valid. The message is for the user. */
export class ReleaseArgumentError extends Error {}

/** A command line. */
export type Command = readonly string[];

export interface ReleasePlan {
  /** Whether `findBlockers` can stop it. */
  isChecked: boolean;
  /** Run in order, until one fails. */
  commands: readonly Command[];
}

const CHECKS: readonly Command[] = [
  ['npm', 'run', 'zapier:validate'],
  ['npx', 'jest', 'test/zapier/publishing.test.ts'],
];
const BUILD: Command = ['npm', 'run', 'zapier:build', '--', '--public'];

const zapier = (...args: string[]): Command => ['npm', 'run', 'zapier', '--', ...args];

/**
 * Plans a stage of a release.
 * @throws ReleaseArgumentError when the arguments aren't valid
 */
export function planRelease(args: readonly string[], version: string, now: Date): ReleasePlan {
  const [stage = '', ...rest] = args;
  const plan = Object.hasOwn(STAGES, stage) ? STAGES[stage] : undefined;
  if (plan === undefined)
    throw new ReleaseArgumentError(`${stage === '' ? 'Choose a stage' : `"${stage}" isn't a stage`}.`);
  return plan(rest, version, now);
}

type Stage = (args: readonly string[], version: string, now: Date) => ReleasePlan;

const STAGES: Readonly<Record<string, Stage | undefined>> = {
  check: (args) => {
    expectCount(args, 0);
    return { isChecked: true, commands: CHECKS };
  },
  preview: (emails, version) => {
    const wrong = emails.find((email) => !isEmail(email));
    if (wrong !== undefined) throw new ReleaseArgumentError(`"${wrong}" isn't an email address.`);
    const invitations = emails.map((email) => zapier('users:add', email, version));
    return { isChecked: true, commands: [...CHECKS, BUILD, zapier('upload'), ...invitations] };
  },
  promote: (args, version) => {
    expectCount(args, 0);
    if (version.includes('-'))
      throw new ReleaseArgumentError(
        `${version} has a label, so Zapier won't promote it. Upload a version without a label first.`,
      );
    return { isChecked: true, commands: [...CHECKS, zapier('promote', version)] };
  },
  migrate: (args, version) => {
    expectCount(args, 2);
    const [from = '', who = ''] = args;
    if (!isNewer(version, from))
      throw new ReleaseArgumentError(
        `Users of ${from} can't be moved to ${version}, which isn't newer. To move them back, use rollback.`,
      );
    return unchecked(zapier('migrate', from, version, ...(isEmail(who) ? ['--user', who] : [percent(who)])));
  },
  rollback: (args, version) => {
    expectCount(args, 1);
    const [to = ''] = args;
    if (!isNewer(version, to))
      throw new ReleaseArgumentError(
        `${to} isn't older than ${version}, so there is nothing to roll back to.`,
      );
    return unchecked(zapier('migrate', version, to));
  },
  deprecate: (args, version, now) => {
    expectCount(args, 2);
    const [old = '', date = ''] = args;
    if (!isNewer(version, old, { acrossMajors: true }))
      throw new ReleaseArgumentError(
        `${old} isn't older than ${version}. Only older versions can be shut down.`,
      );
    expectDeprecationDate(date, now);
    return unchecked(zapier('deprecate', old, date));
  },
};

const unchecked = (command: Command): ReleasePlan => ({ isChecked: false, commands: [command] });

function expectCount(args: readonly string[], count: number): void {
  if (args.length !== count)
    throw new ReleaseArgumentError(`Expected ${count} arguments after the stage, got ${args.length}.`);
}

/** Rejects all characters with a special meaning in a shell or in Zapier's CLI. */
const isEmail = (text: string): boolean => /^\w[\w.+'-]*@\w[\w.-]*$/.test(text);

function percent(text: string): string {
  if (!/^(?:100|[1-9]\d?)$/.test(text))
    throw new ReleaseArgumentError(`"${text}" is neither a percentage from 1 to 100 nor an email address.`);
  return text;
}

/** Zapier moves users within a major version only. */
function isNewer(version: string, than: string, { acrossMajors = false } = {}): boolean {
  const [newer, older] = [numbersOf(version), numbersOf(than)];
  const at = newer.findIndex((number, index) => number !== older[index]);
  if (at === 0 && !acrossMajors)
    throw new ReleaseArgumentError(
      `${than} and ${version} differ in the major version, so Zapier can't migrate users between them.`,
    );
  return at !== -1 && (newer[at] ?? 0) > (older[at] ?? 0);
}

function numbersOf(version: string): number[] {
  const match = VERSION.exec(version);
  if (match === null) throw new ReleaseArgumentError(`"${version}" isn't a version such as 1.2.3.`);
  return match.slice(1, 4).map(Number);
}

/** As Zapier reads versions: a label marks a test version. */
const VERSION = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?:-[A-Za-z0-9-]{1,12})?$/;

const DAY_MS = 86_400_000;

/** Zapier accepts dates from 3 weeks to 1 year ahead. */
function expectDeprecationDate(date: string, now: Date): void {
  const time = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(date) : NaN;
  if (Number.isNaN(time) || !new Date(time).toISOString().startsWith(date))
    throw new ReleaseArgumentError(`"${date}" isn't a date such as 2027-03-31.`);
  const days = (time - now.getTime()) / DAY_MS;
  if (days < 21 || days > 365)
    throw new ReleaseArgumentError(`${date} must be at least 3 weeks and at most 1 year from now.`);
}

/** Input of `findBlockers`. */
export interface ReleaseFacts {
  version: string;
  /** The service's URLs in `brand.ts`. */
  urls: readonly string[];
  /** The version's section of CHANGELOG.md, as Zapier's CLI reads it; empty if there is none. */
  changelog: string;
  /** Whether the app has a `.zapierapprc`. */
  isRegistered: boolean;
  /** Files that git lists as changed. */
  changedFiles: readonly string[];
}

/** Returns what must be done before a version can be uploaded to Zapier. */
export function findBlockers({
  version,
  urls,
  changelog,
  isRegistered,
  changedFiles,
}: ReleaseFacts): string[] {
  const placeholders = urls.filter((url) => new URL(url).hostname.endsWith('.example'));
  const isLabelled = version.includes('-');
  return [
    ...(placeholders.length === 0
      ? []
      : [
          `Enter the service's real name and URLs in shared/src/contract/brand.ts. Placeholders: ${placeholders.join(', ')}.`,
        ]),
    ...(isRegistered
      ? []
      : [
          'Register the app with "npm run zapier -- register" and commit packages/zapier-qr-service/.zapierapprc.',
        ]),
    ...(isLabelled || !version.startsWith('0.')
      ? []
      : [
          `Set the app's version to 1.0.0 or higher. Zapier accepts ${version} only after its predecessors, and can't migrate users from 0.x to 1.x.`,
        ]),
    ...(isLabelled || changelog !== ''
      ? []
      : [`Add a section "## ${version}" to packages/zapier-qr-service/CHANGELOG.md. "promote" needs it.`]),
    ...(changedFiles.length === 0 ? [] : [`Commit or stash your changes: ${changedFiles.join(', ')}.`]),
  ];
}
