import type { Cluster } from '../../../harness/n8nQueue/cluster.ts';

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
 * Notes the event of each execution when n8n stores it: when n8n finds out that an execution is lost, it may replace
 * the data that holds the event.
 */
export async function recordEvents({ postgres }: Stores): Promise<void> {
  await postgres.query(`
    CREATE TABLE IF NOT EXISTS noted_event ("executionId" int PRIMARY KEY, "eventId" text);
    CREATE OR REPLACE FUNCTION note_event() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO noted_event VALUES (NEW."executionId", substring(NEW.data from '"(evt_[^"]+)"'));
        RETURN NULL;
      END $$;
    CREATE OR REPLACE TRIGGER note_event AFTER INSERT ON execution_data FOR EACH ROW EXECUTE FUNCTION note_event();
  `);
}

/** Executions of a workflow, oldest first. */
export async function storedExecutions({ postgres }: Stores, workflowId: string): Promise<StoredExecution[]> {
  const rows = await postgres.query(`
    SELECT id, status, "eventId" FROM execution_entity JOIN noted_event ON id = "executionId"
    WHERE "workflowId" = '${workflowId}' ORDER BY id
  `);
  return rows.map(([id, status, eventId]) => ({ id: id!, status: status!, eventId: eventId! }));
}

/** Ids of the executions that wait in the queue or that a worker has taken from it. */
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

/** Executions that n8n holds as open, though they are not in the queue: nothing will run them. */
export async function strandedExecutions(stores: Stores, workflowId: string): Promise<StoredExecution[]> {
  const open = async () =>
    (await storedExecutions(stores, workflowId)).filter(({ status }) => OPEN.includes(status));
  const before = new Set((await open()).map(({ id }) => id));
  const queued = new Set(await queuedIds(stores));
  // One that was queued or ended between two of these looks is not stranded.
  return (await open()).filter(({ id }) => before.has(id) && !queued.has(id));
}
