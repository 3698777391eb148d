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
export function findBlockers(facts: ReleaseFacts): string[] {
  const { version, urls, changelog, isRegistered, changedFiles } = facts;
  const placeholders = urls.filter((url) => new URL(url).hostname.endsWith('.example'));
  const isLabeled = version.includes('-');
  const blockers: [isBlocked: boolean, toDo: string][] = [
    [
      placeholders.length > 0,
      `Enter the service's real name and URLs in shared/src/contract/brand.ts. Placeholders: ${placeholders.join(', ')}.`,
    ],
    [
      !isRegistered,
      'Register the app with "npm run zapier -- register" and commit packages/zapier-qr-service/.zapierapprc.',
    ],
    [
      !isLabeled && version.startsWith('0.'),
      `Set the app's version to 1.0.0 or higher. Zapier accepts ${version} only after its predecessors, and can't migrate users from 0.x to 1.x.`,
    ],
    [
      !isLabeled && changelog === '',
      `Add a section "## ${version}" to packages/zapier-qr-service/CHANGELOG.md. "promote" needs it.`,
    ],
    [changedFiles.length > 0, `Commit or stash your changes: ${changedFiles.join(', ')}.`],
  ];
  return blockers.flatMap(([isBlocked, toDo]) => (isBlocked ? [toDo] : []));
}
