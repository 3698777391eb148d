import { importFromTool, installToolOrExit } from '../../scripts/tools/install.ts';

/** Imports libraries to compare with. They aren't dependencies of this repository, so the caller declares their types. */
export async function importLibraries<Libraries extends object>(
  ...names: (keyof Libraries & string)[]
): Promise<Libraries> {
  await installToolOrExit('bench');
  const modules = names.map(async (name) => [name, await importFromTool('bench', name)] as const);
  return Object.fromEntries(await Promise.all(modules)) as Libraries;
}
