/** What is read of a package.json. */
export interface Manifest {
  name: string;
  version: string;
  private?: boolean;
  license?: string;
  description?: string;
  homepage?: string;
  bugs?: { url?: string };
  author?: { name?: string; email?: string };
  repository?: { url?: string; directory?: string };
  engines?: { node?: string };
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

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
    ...(manifest.private === true ? ['package.json is private, so npm refuses to publish it'] : []),
    ...(manifest.license === root.license ? [] : ["package.json has another licence than the repository's"]),
    ...(root.repository?.url !== undefined && repository?.url === root.repository.url
      ? []
      : ["repository.url differs from the repository's, so npm refuses provenance"]),
    ...(repository?.directory === folder ? [] : [`repository.directory isn't ${folder}`]),
    ...INSTALL_SCRIPTS.filter((name) => name in scripts).map((name) => `has the install script ${name}`),
  ];
}

/** Returns where versions disagree. @param workspaces the manifest of each workspace, by folder */
export function findVersionProblems(
  workspaces: Readonly<Record<string, Manifest>>,
  released: readonly string[],
  lock: Lock,
  tag?: string,
): string[] {
  const problems: string[] = [];
  const versions = new Map(Object.values(workspaces).map(({ name, version }) => [name, version]));
  for (const [folder, { name, version, ...manifest }] of Object.entries(workspaces)) {
    const locked = lock.packages[folder]?.version;
    if (locked !== version)
      problems.push(
        `${name} is ${version}, but ${locked ?? 'missing'} in package-lock.json: run npm install`,
      );
    const ranges = { ...manifest.devDependencies, ...manifest.peerDependencies, ...manifest.dependencies };
    for (const [dependency, range] of Object.entries(ranges)) {
      const actual = versions.get(dependency);
      if (actual !== undefined && range !== actual)
        problems.push(`${name} depends on ${dependency} ${range}, which is ${actual}`);
    }
  }

  const [first = '', ...others] = released.map((name) => versions.get(name) ?? 'missing');
  if (others.some((version) => version !== first))
    problems.push(`${released.join(', ')} have different versions: ${[first, ...others].join(', ')}`);
  if (tag !== undefined && tag !== `v${first}`) problems.push(`the tag is ${tag}, but the version ${first}`);
  return problems;
}
