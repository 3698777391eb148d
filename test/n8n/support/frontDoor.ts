import type { ActiveTrigger, Delivery, RunResult } from '../../../engines/n8n/index.ts';
import { startReceiver } from '../../../engines/receiver.ts';

/** An HTTP server that passes requests to active triggers, as n8n's does. */
export interface FrontDoor {
  /** `127.0.0.1:port`, for the emulator's `connectTo`. */
  readonly address: string;
  /** Results of the executions that deliveries started. */
  readonly executions: RunResult[];
  /** Deliveries to open routes, as received. */
  readonly deliveries: Delivery[];
  /** Status of each response. */
  readonly statuses: number[];
  open(trigger: ActiveTrigger): void;
  shut(trigger: ActiveTrigger): void;
  /** Clears the executions, deliveries and statuses. */
  forget(): void;
  close(): Promise<void>;
}

export async function openFrontDoor(host: string): Promise<FrontDoor> {
  const routes = new Map<string, ActiveTrigger>();
  const executions: RunResult[] = [];
  const deliveries: Delivery[] = [];
  const statuses: number[] = [];
  const path = (trigger: ActiveTrigger) => new URL(trigger.webhookUrl).pathname;

  const receiver = await startReceiver();
  receiver.open(host, async (delivery) => {
    const trigger = routes.get(delivery.path);
    if (trigger === undefined) return { status: 404 };
    deliveries.push(delivery);
    const { execution, ...response } = await trigger.receive(delivery);
    if (execution !== undefined) executions.push(await execution);
    statuses.push(response.status);
    return response;
  });
  return {
    address: receiver.address,
    executions,
    deliveries,
    statuses,
    open: (trigger) => void routes.set(path(trigger), trigger),
    shut: (trigger) => void routes.delete(path(trigger)),
    forget() {
      executions.length = 0;
      deliveries.length = 0;
      statuses.length = 0;
    },
    close: () => receiver.close(),
  };
}
