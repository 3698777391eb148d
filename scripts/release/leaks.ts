import { globSync, readFileSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT } from '../packages.ts';

/** Files that must not be published. */
const NAMES: [what: string, name: RegExp][] = [
  ['a source map', /\.map$/],
  ['a build cache', /\.tsbuildinfo$/],
  ['a settings file', /(^|\/)\.(env|npmrc|zapierrc)/],
  ['a key', /\.(pem|key|p12|pfx)$|(^|\/)id_(rsa|ed25519)$/],
  ['a test', /(^|\/)(tests?|__tests__)\/|\.(test|spec)\.[cm]?[jt]s$/],
];

/** Texts that must not be published. */
const TEXTS: [what: string, text: RegExp][] = [
  ['a source map', /sourceMappingURL=data:/],
  ['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY-----\s+[A-Za-z0-9+/]/],
  ['a cloud access key', /\b(AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[\w-]{35}\b/],
  ['a token', /\b(gh[pousr]_\w{36}|github_pat_\w{22,}|npm_\w{36}|xox[abprs]-[\w-]{10,}|sk_live_\w{16,})/],
  ['a registry token', /_authToken\s*=\s*[^$\s]/],
  ['an API key of the service', /\bqrs_[A-Za-z0-9]{16,}/],
  // /home/node is the home folder in n8n's Docker image.
  ['a home folder path', /\/(home|Users)\/(?!node\/)\w+\/|[A-Z]:\\+Users\\/],
];

/** Finds secrets and other private data in the files of a folder. */
export function findLeaks(folder: string): string[] {
  const files = globSync('**/*', { cwd: folder }).filter((file) =>
    statSync(path.join(folder, file)).isFile(),
  );
  return files.flatMap((file) => {
    const text = readFileSync(path.join(folder, file), 'latin1');
    // Commands in a README may use the folder for temporary files.
    const ofMachine = [ROOT, `${homedir()}/`, ...(file.endsWith('.md') ? [] : [`${tmpdir()}/`])];
    const found = [
      ...NAMES.filter(([, name]) => name.test(file)),
      ...TEXTS.filter(([, pattern]) => pattern.test(text)),
      ...ofMachine
        .filter((place) => text.includes(place))
        .map((place) => [`a path on this machine, ${place}`] as const),
    ];
    return found.map(([what]) => `${file} is or contains ${what}`);
  });
}
