/** The requested port is in use. */
export class PortInUseError extends Error {
  override readonly name = 'PortInUseError';

  constructor(port: number) {
    super(`Port ${port} is already in use; choose another port.`);
  }
}
