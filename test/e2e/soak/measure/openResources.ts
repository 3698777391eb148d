import type { DevTools } from '../../../../harness/process/devTools.ts';

/** What a process keeps open. */
export interface OpenResources {
  /** Active handles of libuv by kind, as `process.report` lists them; TCP ones by what they are for. */
  handles: Record<string, number>;
  /** Timers of the program. */
  timers: number;
  /** Listeners of `process`, by event. */
  listeners: Record<string, number>;
  /** TCP sockets to the service's port, in whatever state. */
  socketsToService: number;
}

interface Handle {
  type: string;
  is_active: boolean;
  localEndpoint?: { port: number } | null;
  remoteEndpoint?: { port: number } | null;
}

/** @param servicePort port of the service on this machine */
export async function countOpenResources(devTools: DevTools, servicePort: number): Promise<OpenResources> {
  const { libuv, resources, listeners } = await devTools.run(() => {
    // Without this, the names of all addresses would be looked up.
    Object.assign(process.report, { excludeNetwork: true });
    return {
      libuv: (process.report.getReport() as unknown as { libuv: Handle[] }).libuv,
      resources: process.getActiveResourcesInfo(),
      listeners: process.eventNames().map((name) => [String(name), process.listenerCount(name)] as const),
    };
  });
  const kindOf = kinds(libuv);
  return {
    handles: countEach(libuv.filter((handle) => handle.is_active).map(kindOf)),
    timers: resources.filter((resource) => resource === 'Timeout' || resource === 'Immediate').length,
    listeners: Object.fromEntries(listeners),
    socketsToService: libuv.filter(({ remoteEndpoint }) => remoteEndpoint?.port === servicePort).length,
  };
}

/** Tells apart the sockets that listen, those that others opened, and those that the process itself did. */
function kinds(handles: readonly Handle[]): (handle: Handle) => string {
  const isListening = ({ type, remoteEndpoint }: Handle) => type === 'tcp' && !remoteEndpoint;
  const listening = new Set(handles.filter(isListening).map(({ localEndpoint }) => localEndpoint?.port));
  return (handle) => {
    if (handle.type !== 'tcp') return handle.type;
    if (isListening(handle)) return 'tcp listening';
    return listening.has(handle.localEndpoint?.port) ? 'tcp incoming' : 'tcp outgoing';
  };
}

function countEach(kinds: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of kinds.toSorted()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
