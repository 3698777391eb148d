/**
 * A message without fields that are null, down to `params._meta.<client's capabilities>`: some clients in Go, Java and C#
 * send it for nothing, and the SDK refuses it.
 */
export function withoutNulls(message: unknown, depth = 4): unknown {
  if (depth === 0 || typeof message !== 'object' || message === null || Array.isArray(message))
    return message;
  const fields = Object.entries(message).filter(([, value]) => value !== null);
  return Object.fromEntries(fields.map(([name, value]) => [name, withoutNulls(value, depth - 1)]));
}

/** Messages from stdin, a line each, as the SDK reads them. */
export async function* readMessages(stdin: NodeJS.ReadableStream): AsyncGenerator<Buffer> {
  let rest = '';
  for await (const chunk of stdin.setEncoding('utf8')) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield Buffer.from(`${readable(line)}\n`);
  }
}

/** A line without a byte order mark and null fields; unchanged if it isn't JSON. */
function readable(line: string): string {
  const json = line.replace(/^\uFEFF/, '');
  try {
    return JSON.stringify(withoutNulls(JSON.parse(json)));
  } catch {
    return json;
  }
}
