import { connect, type Socket } from 'node:net';
import { head, type RawRequest } from './rawRequest.ts';

const DRIBBLE_MS = 250;

/** Connections with requests that never finish. */
interface SlowSenders {
  /** Number of open connections. */
  open(): number;
  /** Aborts all of them. */
  abort(): void;
}

/**
 * Opens connections that send a byte four times a second: a third of them in the headers, the others in the
 * body. Connections closed by the server are reopened.
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
    // Without the final blank line, the headers continue.
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
