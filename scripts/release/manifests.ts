import { installedWith, type Manifest, type Workspace } from '../workspaces.ts';

/** What is read of package-lock.json. Keys are folders. */
export interface Lock {
  packages: Record<string, { version?: string } | undefined>;
}

/** npm runs these when somebody installs the package. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare'];

/**
 * Returns what npm, n8n's verification or provenance would miss in a package's manifest.
 * @param root the repository's manifest; npm refuses provenance if `repository` isn't the one of the workflow
 */
export function findManifestProblems(manifest: Manifest, folder: string, root: Manifest): string[] {
  const { repository, scripts = {} } = manifest;
  const missing = Object.entries({
    description: manifest.description,
    homepage: manifest.homepage,
    'bugs.url': manifest.bugs?.url,
    'author.name': manifest.author?.name,
    'author.email': manifest.author?.email,
  }).flatMap(([field, value]) => (value === undefined || value === '' ? [field] : []));
  return [
    ...missing.map((field) => `package.json has no ${field}`),
    ...(manifest.license === root.license ? [] : ["package.json has another license than the repository's"]),
    ...(root.repository?.url !== undefined && repository?.url === root.repository.url
      ? []
      : ["repository.url differs from the repository's, so npm refuses provenance"]),
    ...(repository?.directory === folder ? [] : [`repository.directory isn't ${folder}`]),
    ...INSTALL_SCRIPTS.filter((name) => name in scripts).map((name) => `has the install script ${name}`),
  ];
}

/** Dependencies that don't exist outside of this repository. */
const LOCAL = /^(?:file|link|portal|workspace):/;

/** Returns where versions disagree, and dependencies that users can't install. */
export function findVersionProblems(workspaces: readonly Workspace[], lock: Lock, tag?: string): string[] {
  const problems: string[] = [];
  const byName = new Map(workspaces.map(({ manifest }) => [manifest.name, manifest]));
  for (const { folder, manifest } of workspaces) {
    const { name, version } = manifest;
    const locked = lock.packages[folder]?.version;
    if (locked !== version)
      problems.push(`${name} is ${version}, but ${locked ?? 'missing'} in package-lock.json`);
    const isPublished = manifest.private !== true;
    const installed = installedWith(manifest);
    for (const [dependency, range] of Object.entries({ ...manifest.devDependencies, ...installed })) {
      const actual = byName.get(dependency);
      if (actual !== undefined && range !== actual.version)
        problems.push(`${name} depends on ${dependency} ${range}, which is ${actual.version}`);
      if (!isPublished || !(dependency in installed)) continue;
      if (actual?.private === true) problems.push(`${name} depends on ${dependency}, which isn't published`);
      if (LOCAL.test(range)) problems.push(`${name} depends on ${dependency} ${range}, which isn't on npm`);
    }
  }

  const published = workspaces
    .map(({ manifest }) => manifest)
    .filter((manifest) => manifest.private !== true);
  const [first = 'missing', ...others] = [...new Set(published.map(({ version }) => version))];
  if (others.length > 0) {
    const all = published.map(({ name, version }) => `${name} ${version}`);
    problems.push(`the published packages have different versions: ${all.join(', ')}`);
  }
  if (tag !== undefined && tag !== `v${first}`)
    problems.push(`the tag is ${tag}, but the version is ${first}`);
  return problems;
}
