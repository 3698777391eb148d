import { installedWith, publishedOf, type Workspace } from '../packages/workspaces.ts';

/**
 * Returns where the versions of the published packages disagree, and dependencies that users can't install.
 * @param tag such as `v1.2.3`; without it, the version of the first package counts
 */
export function findVersionProblems(workspaces: readonly Workspace[], tag?: string): string[] {
  const published = publishedOf(workspaces).map(({ manifest }) => manifest);
  const expected = tag?.replace(/^v/, '') ?? published[0]?.version;
  return published.flatMap((manifest) => {
    const { name, version } = manifest;
    const installed = installedWith(manifest);
    const unmet = workspaces.filter(
      ({ manifest: other }) =>
        other.name in installed && (other.private === true || installed[other.name] !== other.version),
    );
    return [
      ...(version === expected ? [] : [`${name} is ${version}, not ${expected ?? 'any version'}`]),
      ...unmet.map(
        ({ manifest: other }) =>
          `${name} depends on ${other.name} ${installed[other.name] ?? ''}, but it is ${other.private === true ? 'private' : other.version}`,
      ),
    ];
  });
}
