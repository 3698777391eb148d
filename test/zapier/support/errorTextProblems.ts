/** The reference for support at the end of an error, and the code of a failed connection. */
const REFERENCE = / \((?:status \d+|[\w, ]+)[^()]*\)$| \(E[A-Z]+\)(?=\. )/g;

/** Words that are unusual in this context or meaningless. */
const UNUSUAL =
  /\b(?:answers?|answered|base address|bad request|credentials?|genuine|mend|nodes?|put into|is no(?! longer)|try again|make[sd]?|made|undefined|null)\b|\[object|\breconnect/i;

/** Words for people who build with code, or with another platform. Zapier says "update", "replay" and "line items". */
export const FOREIGN_WORDS = /\b(?:retarget|re-?run|arrays?\b|rows per page)/i;

/** Verbs of sentences that tell users what to do. */
const NEXT_STEP =
  /\b(?:add|ask|change|check|choose|contact|copy|correct|create|enter|expected something like|export|free up|get|give|load|look for|publish|reload|remove|run|search|shorten|start|turn|update|use|wait)\b/i;

/** Style problems in an error's text; empty if there are none. */
export function errorTextProblems(text: string): string[] {
  const told = text.replaceAll(REFERENCE, '').trim();
  // Quoted text is what the user entered. IDs, links, hosts and scopes can contain anything, too.
  const words = told
    .replaceAll(/(?<!\p{L})'.*?'(?!\p{L})|"[^"]*"/gu, '')
    .replaceAll(
      /\bqr_\w+|\b\w+:(?:read|write)\b|https?:\/\/\S*[^\s.,]|\b(?:\d+\.){3}\d+(?::\d+)?|\b[\w.-]+\.(?:example|test)\S*/g,
      '',
    );
  const [first = '', ...rest] = words.split(/(?<=[.!?]) +/);
  const checks: [problem: string, isWrong: boolean][] = [
    [
      'the first sentence contains an identifier',
      /[{}[\]<>]|\p{Ll}\p{Lu}|[a-z]_[a-z]|[A-Z]{2}_|\bE[A-Z]{4,}\b/u.test(first),
    ],
    ['the first sentence contains a status or a request ID', /\b[1-5]\d\d\b|\breq_/.test(first)],
    ['codes or IDs are not at the end', /\bstatus \d|\brequest req/.test(told)],
    ['there is no next step', !NEXT_STEP.test(rest.join(' '))],
    ['a word is unusual', UNUSUAL.test(words) || FOREIGN_WORDS.test(words) || /\brender/i.test(words)],
    [
      "an allow-list is named without advice for Zapier's addresses",
      /allow-?list(?!.*IP restriction)/i.test(told),
    ],
    [
      'it does not consist of sentences',
      !/^["'“\p{Lu}\d].*[.!?]$/su.test(told) || /\.\.|\. \.| {2}/.test(told),
    ],
  ];
  return checks.filter(([, isWrong]) => isWrong).map(([problem]) => problem);
}
