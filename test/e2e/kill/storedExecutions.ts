import type { Cluster } from '../support/n8nQueue/cluster.ts';

/** An execution in n8n's database. */
export interface StoredExecution {
  id: string;
  /** n8n's list shows `new` as "Queued". */
  status: string;
  /** The event that started it. */
  eventId: string;
}

/** Statuses of an execution that has not ended. */
export const OPEN = ['new', 'running', 'waiting'];

type Stores = Pick<Cluster, 'postgres' | 'redis'>;

/**
 * Records the event of each execution when n8n stores it. n8n may later replace the data that contains the event, when
 * it detects that the execution is lost.
 */
export async function recordEvents({ postgres }: Stores): Promise<void> {
  await postgres.query(`
    CREATE TABLE IF NOT EXISTS recorded_event ("executionId" int PRIMARY KEY, "eventId" text);
    CREATE OR REPLACE FUNCTION record_event() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO recorded_event VALUES (NEW."executionId", substring(NEW.data from '"(evt_[^"]+)"'));
        RETURN NULL;
      END $$;
    CREATE OR REPLACE TRIGGER record_event AFTER INSERT ON execution_data FOR EACH ROW EXECUTE FUNCTION record_event();
  `);
}

/** Executions of a workflow, oldest first. */
export async function storedExecutions({ postgres }: Stores, workflowId: string): Promise<StoredExecution[]> {
  const rows = await postgres.query(`
    SELECT id, status, "eventId" FROM execution_entity JOIN recorded_event ON id = "executionId"
    WHERE "workflowId" = '${workflowId}' ORDER BY id
  `);
  return rows.map(([id, status, eventId]) => ({ id: id!, status: status!, eventId: eventId! }));
}

/** IDs of the executions that are queued or active in a worker. */
export const queuedIds = ({ redis }: Stores): Promise<string[]> =>
  redis.evaluate(`
    local ids = {}
    for _, list in ipairs({ 'wait', 'paused', 'active' }) do
      for _, job in ipairs(redis.call('LRANGE', 'bull:jobs:' .. list, 0, -1)) do
        local data = redis.call('HGET', 'bull:jobs:' .. job, 'data')
        if data then table.insert(ids, cjson.decode(data).executionId) end
      end
    end
    return ids
  `);

/** Executions that are open in n8n, but not in the queue, so nothing will run them. */
export async function strandedExecutions(stores: Stores, workflowId: string): Promise<StoredExecution[]> {
  const open = async () =>
    (await storedExecutions(stores, workflowId)).filter(({ status }) => OPEN.includes(status));
  const before = new Set((await open()).map(({ id }) => id));
  const queued = new Set(await queuedIds(stores));
  // Executions that were queued or ended between these checks are not stranded.
  return (await open()).filter(({ id }) => before.has(id) && !queued.has(id));
}
