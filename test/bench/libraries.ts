import { importFromTool, installToolOrExit } from '../../tools/install.ts';

/** Imports libraries to compare with. They aren't dependencies of this repository, so their types are the caller's. */
export async function importLibraries<Others extends object>(
  ...names: (keyof Others & string)[]
): Promise<Others> {
  await installToolOrExit('bench');
  const modules = names.map(async (name) => [name, await importFromTool('bench', name)] as const);
  return Object.fromEntries(await Promise.all(modules)) as Others;
}
