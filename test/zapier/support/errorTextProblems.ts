/** The end of an error: what support needs. */
const REFERENCE =
  /(?:Error code: \w+|HTTP status: \d+)(?: \([^()]+\))?(?:\. Request ID: (?<requestId>\S+))?$/;

/** Words that people don't use for these things, or that say nothing. */
export const UNUSUAL =
  /\b(?:answers?|answered|base address|bad request|credentials?|genuine|mend|nodes?|put into|is no(?! longer)|try again|make[sd]?|made|undefined|null)\b|\[object|\breconnect/i;

/** Verbs that begin or follow in a sentence which tells people what to do. */
const NEXT_STEP =
  /\b(?:add|ask|change|check|choose|contact|copy|correct|create|enter|expected something like|export|free up|get|give|look for|publish|reload|remove|run|search|shorten|start|turn|update|use|wait)\b/i;

/** What is wrong with the text of an error, whatever the error; empty when it is fine. */
export function errorTextProblems(text: string): string[] {
  const told = text.replace(REFERENCE, '').trim();
  // What people entered stands in quotes; their IDs, links, hosts and scopes are theirs as well.
  const words = told
    .replaceAll(/(?<!\p{L})'.*?'(?!\p{L})|"[^"]*"/gu, '')
    .replaceAll(
      /\bqr_\w+|\b\w+:(?:read|write)\b|https?:\/\/\S*[^\s.,]|\b(?:\d+\.){3}\d+(?::\d+)?|\b[\w.-]+\.(?:example|test)\S*/g,
      '',
    );
  const [first = '', ...rest] = words.split(/(?<=[.!?]) +/);
  const checks: [problem: string, isWrong: boolean][] = [
    [
      'the first sentence holds a name of code',
      /[{}[\]<>]|\p{Ll}\p{Lu}|[a-z]_[a-z]|[A-Z]{2}_|\bE[A-Z]{4,}\b/u.test(first),
    ],
    ['the first sentence holds a status or a request ID', /\b[1-5]\d\d\b|\breq_/.test(first)],
    ['codes or IDs stand before the end', /Error code|HTTP status|Request ID|\brequest req/.test(told)],
    ['no next step is named', !NEXT_STEP.test(rest.join(' '))],
    ['a word is unusual', UNUSUAL.test(words) || /\b(?:retarget|render)/i.test(words)],
    ['it is not made of sentences', !/^["'“\p{Lu}\d].*[.!?]$/su.test(told) || /\.\.|\. \.| {2}/.test(told)],
  ];
  return checks.filter(([, isWrong]) => isWrong).map(([problem]) => problem);
}

/** The request ID that an error ends with, if any. */
export function requestIdAtEnd(text: string): string | undefined {
  return REFERENCE.exec(text)?.groups?.['requestId'];
}
