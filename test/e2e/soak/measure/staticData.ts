import { DatabaseSync } from 'node:sqlite';

/** Size of each workflow's static data in n8n's database, in bytes, by workflow name. */
export function staticDataSizes(database: string): Record<string, number> {
  const connection = new DatabaseSync(database, { readOnly: true });
  try {
    const rows = connection
      .prepare('SELECT name, length(CAST(staticData AS BLOB)) AS bytes FROM workflow_entity')
      .all() as { name: string; bytes: number | null }[];
    return Object.fromEntries(rows.map(({ name, bytes }) => [name, bytes ?? 0]));
  } finally {
    connection.close();
  }
}
