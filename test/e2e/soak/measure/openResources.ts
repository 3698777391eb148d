import type { DevTools } from '../../support/process/devTools.ts';

/** Resources that a process keeps open. */
export interface OpenResources {
  /** Active libuv handles by type, as listed by `process.report`. TCP handles are split by purpose. */
  handles: Record<string, number>;
  /** Number of the program's timers. */
  timers: number;
  /** Number of `process` listeners, by event. */
  listeners: Record<string, number>;
  /** Number of TCP sockets to the service's port, in any state. */
  socketsToService: number;
}

interface Handle {
  type: string;
  is_active: boolean;
  writable?: boolean;
  localEndpoint?: { port: number } | null;
  remoteEndpoint?: { port: number } | null;
}

/** @param servicePort local port of the service */
export async function countOpenResources(devTools: DevTools, servicePort: number): Promise<OpenResources> {
  const { libuv, resources, listeners } = await devTools.run(() => {
    // Otherwise the report would look up host names for all addresses.
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

/** Distinguishes listening, incoming and outgoing sockets. One whose peer has reset it has no remote endpoint, either. */
function kinds(handles: readonly Handle[]): (handle: Handle) => string {
  const isListening = ({ type, remoteEndpoint, writable }: Handle) =>
    type === 'tcp' && !remoteEndpoint && !writable;
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
