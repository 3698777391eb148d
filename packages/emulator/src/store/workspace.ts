import type { Database } from './database.ts';

/** The workspace of every key of this emulator. */
export interface Workspace {
  id: string;
  name: string;
}

/** The database's only workspace, created on first use. */
export function openWorkspace({ sqlite, ids }: Database): Workspace {
  const row = sqlite.prepare('SELECT id, name FROM workspace').get();
  if (row !== undefined) return { id: row['id'] as string, name: row['name'] as string };
  const workspace = { id: ids.newId('ws'), name: 'Emulated workspace' };
  sqlite.prepare('INSERT INTO workspace (id, name) VALUES (?, ?)').run(workspace.id, workspace.name);
  return workspace;
}
