import type { INode } from 'n8n-workflow';
import { startReceiver } from '../../../../engines/receiver.ts';

/** Stands in for a spreadsheet or CRM: records what workflows write. */
export type Sheet = Awaited<ReturnType<typeof openSheet>>;

export async function openSheet() {
  const written = new Map<string, Record<string, unknown>[]>();
  const rows = (nodeName: string): Record<string, unknown>[] => written.get(nodeName) ?? [];
  const receiver = await startReceiver();
  receiver.open(receiver.address, ({ path, rawBody }) => {
    const nodeName = decodeURIComponent(path.slice(1));
    written.set(nodeName, [...rows(nodeName), JSON.parse(rawBody.toString()) as Record<string, unknown>]);
    return Promise.resolve({ status: 200, headers: { 'content-type': 'application/json' }, body: '{}' });
  });
  return {
    /** Rows written by a node, oldest first. */
    rows,
    /** Creates a node that writes each item as a row. */
    writer: (nodeName: string): Pick<INode, 'type' | 'typeVersion' | 'parameters'> => ({
      type: 'n8n-nodes-base.httpRequest',
      typeVersion: 4.2,
      parameters: {
        method: 'POST',
        url: `http://${receiver.address}/${encodeURIComponent(nodeName)}`,
        sendBody: true,
        specifyBody: 'json',
        jsonBody: '={{ JSON.stringify($json) }}',
        options: {},
      },
    }),
    close: () => receiver.close(),
  };
}
