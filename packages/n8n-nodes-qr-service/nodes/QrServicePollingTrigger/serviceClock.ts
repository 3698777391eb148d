import { readHeader, type Transport } from '../../core.ts';

/** The service's own time, as the answers through a transport tell it in their Date header. */
export interface ServiceClock {
  transport: Transport;
  /** Time of the last answer, or undefined when it had no Date header. */
  now(): Date | undefined;
}

/** Listens to a transport's answers. */
export function serviceClock(transport: Transport): ServiceClock {
  let time: Date | undefined;
  const listen: Transport = async (request) => {
    const response = await transport(request);
    const date = new Date(readHeader(response.headers, 'Date') ?? '');
    time = Number.isNaN(date.getTime()) ? undefined : date;
    return response;
  };
  const { sleep } = transport;
  return { transport: sleep === undefined ? listen : Object.assign(listen, { sleep }), now: () => time };
}
