import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** Licenses that only require attribution, if anything. */
const PERMISSIVE = /^(MIT|MIT-0|ISC|BSD-[23]-Clause|0BSD|Apache-2\.0|BlueOak-1\.0\.0|CC0-1\.0|Unlicense)$/;

/**
 * Writes the license of each bundled library to THIRD_PARTY_LICENSES.txt, each text once.
 * @param {string} root folder of the package. Its `licenses/` has those of libraries that a library's own bundle contains.
 * @param {string} dist where to write the file
 * @param {string[]} inputs files in the bundle, relative to the package, from esbuild's metafile
 * @throws {Error} for a library without a license that only requires attribution
 */
export async function writeLicenses(root, dist, inputs) {
  const libraries = new Map();
  const add = (name, text) => libraries.set(text, (libraries.get(text) ?? new Set()).add(name));
  for (const input of inputs) {
    const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input) ?? [];
    if (folder === undefined) continue;
    const { name, version, license } = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));
    if (!PERMISSIVE.test(license)) throw new Error(`${name} has the license ${license}: don't bundle it.`);
    add(`${name} ${version} (${license})`, await readLicense(join(root, folder)));
    for (const inlined of await findInlined(join(root, input)))
      add(`${inlined} (MIT)`, await readFile(join(root, 'licenses', `${inlined}.txt`), 'utf8'));
  }
  const texts = [...libraries].map(([text, names]) => `${[...names].sort().join('\n')}\n\n${text.trim()}\n`);
  await writeFile(join(dist, 'THIRD_PARTY_LICENSES.txt'), texts.sort().join(`\n${'-'.repeat(80)}\n\n`));
}

async function readLicense(folder) {
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${basename(folder)} has no license file.`);
  return readFile(join(folder, file), 'utf8');
}

/** Libraries that a library's own bundle contains, such as `content-type 1.0.5`. */
async function findInlined(file) {
  const regions = (await readFile(file, 'utf8')).matchAll(/^\/\/#region .*\/\.pnpm\/([^/@]+)@([\d.]+)\//gm);
  return [...regions].map(([, name, version]) => `${name} ${version}`);
}
