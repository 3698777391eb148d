import { connect, type Socket } from 'node:net';
import { head, type RawRequest } from './rawRequest.ts';

const DRIBBLE_MS = 250;

/** Connections that are held open by those who never finish what they say. */
export interface SlowSenders {
  /** How many are open, of those that were opened. */
  open(): number;
  /** Breaks all of them off in the middle. */
  abort(): void;
}

/**
 * Opens connections that send a byte four times a second: a third stays in the headers, the others in the
 * body. One that is closed by the server is opened anew.
 */
export function startSlowSenders(port: number, count: number, request: RawRequest): SlowSenders {
  const whole = head({ ...request, framing: 1000 });
  const sockets = Array.from({ length: count }, (_, index) => connectOne(index));
  const dribble = setInterval(() => {
    for (const [index, socket] of sockets.entries()) {
      if (socket.destroyed) sockets[index] = connectOne(index);
      else socket.write(index % 3 === 0 ? 'x' : ' ');
    }
  }, DRIBBLE_MS);

  function connectOne(index: number): Socket {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.resume();
    // Without the empty line at their end, the headers go on.
    socket.write(index % 3 === 0 ? `${whole.slice(0, -4)}\r\nX-Slow: ` : whole);
    return socket;
  }

  return {
    open: () => sockets.filter((socket) => !socket.destroyed).length,
    abort() {
      clearInterval(dribble);
      for (const socket of sockets) socket.destroy();
    },
  };
}
