import type { Database } from './database.ts';

/** The workspace of every key of this emulator. */
export interface Workspace {
  id: string;
  name: string;
}

/** Reads the database's only workspace. */
export function readWorkspace({ sqlite }: Pick<Database, 'sqlite'>): Workspace | undefined {
  const row = sqlite.prepare('SELECT id, name FROM workspace').get();
  return row === undefined ? undefined : { id: row['id'] as string, name: row['name'] as string };
}

/** The database's only workspace, created on first use. */
export function openWorkspace({ sqlite, ids }: Database): Workspace {
  const known = readWorkspace({ sqlite });
  if (known !== undefined) return known;
  const workspace = { id: ids.newId('ws'), name: 'Emulated workspace' };
  sqlite.prepare('INSERT INTO workspace (id, name) VALUES (?, ?)').run(workspace.id, workspace.name);
  return workspace;
}
