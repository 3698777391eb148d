import { homedir, tmpdir } from 'node:os';
import type { Artifact, ShippedFile } from './Artifact.ts';

/** Files that must not be published. */
const NAMES: [what: string, name: RegExp][] = [
  ['a source map', /\.map$/],
  ['a build cache', /\.tsbuildinfo$/],
  ['a settings file', /(^|\/)\.(env|npmrc|zapierrc)/],
  ['a key', /\.(pem|key|p12|pfx)$|(^|\/)id_(rsa|ed25519)$/],
];
const TEST = /(^|\/)(tests?|__tests__)\/|\.(test|spec)\.[cm]?[jt]s$/;

/** Patterns of secrets. */
const SECRETS: [what: string, pattern: RegExp][] = [
  ['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY-----\s+[A-Za-z0-9+/]/],
  ['a cloud access key', /\b(AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[\w-]{35}\b/],
  ['a token', /\b(gh[pousr]_\w{36}|github_pat_\w{22,}|npm_\w{36}|xox[abprs]-[\w-]{10,}|sk_live_\w{16,})/],
  ['a signed token', /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/],
  ['a registry token', /_authToken\s*=\s*[^$\s]/],
  ['an API key of the service', /\bqrs_[A-Za-z0-9]{16,}/],
];

const INLINE_MAP = /sourceMappingURL=data:/;

/** Finds secrets and other private data in an artifact. @param root this repository's folder */
export function findLeaks(artifact: Artifact, root: string): string[] {
  return artifact.files.flatMap((file) =>
    [...leaksByName(file), ...leaksInside(file, root)].map((what) => `${file.path} is or contains ${what}`),
  );
}

function leaksByName({ path }: ShippedFile): string[] {
  const found = NAMES.filter(([, name]) => name.test(path)).map(([what]) => what);
  return TEST.test(path) ? [...found, 'a test'] : found;
}

function leaksInside({ path, content }: ShippedFile, root: string): string[] {
  const text = content.toString('latin1');
  const found = SECRETS.filter(([, pattern]) => pattern.test(text)).map(([what]) => what);
  if (INLINE_MAP.test(text)) found.push('a source map');
  const machineFolder = machineFolders(root, path).find((folder) => text.includes(folder));
  if (machineFolder !== undefined) found.push(`a path on this machine, ${machineFolder}`);
  // Third-party packages contain such paths as examples; /home/node is the home folder in n8n's Docker image.
  if (!path.includes('node_modules/') && /\/(home|Users)\/(?!node\/)\w+\/|[A-Z]:\\+Users\\/.test(text))
    found.push('a home folder path');
  return found;
}

function machineFolders(root: string, path: string): string[] {
  // Commands in a README may use the folder for temporary files.
  const temporary = path.endsWith('.md') ? [] : [`${tmpdir()}/`];
  return [root, `${homedir()}/`, ...temporary].filter((folder) => folder.length > 3);
}
