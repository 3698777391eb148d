const OFFLINE =
  /^npm error code (E(?:AI_AGAIN|CONNREFUSED|CONNRESET|HOSTUNREACH|NETUNREACH|NOTFOUND|TIMEDOUT)|ERR_SOCKET_TIMEOUT)$/m;

/** A tool can't be installed. The message explains why, and what to do about network problems. */
export class ToolInstallError extends Error {
  override name = 'ToolInstallError';

  constructor(title: string, cause: unknown) {
    const message = cause instanceof Error ? cause.message : String(cause);
    const code = OFFLINE.exec(message)?.[1];
    const registry = /request to (https?:\/\/[^/\s]+)/.exec(message)?.[1] ?? 'its registry';
    super(
      code === undefined
        ? `Can't install ${title}. ${message}`
        : `Can't install ${title}: npm can't reach ${registry} (${code}). Connect to the internet, or point npm at a registry that you can reach, then run this command again.`,
      { cause },
    );
  }
}
