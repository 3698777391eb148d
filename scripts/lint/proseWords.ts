/** A place where the text reads as if translated, or isn't in American spelling. */
interface Idiom {
  /** Line, from 1. */
  line: number;
  /** The words found. */
  text: string;
  /** What to write instead. */
  use: string;
}

/** Words and what to write instead. A space matches any white space, also where a comment continues on the next line. */
const IDIOMS: readonly (readonly [words: string, use: string])[] = [
  ['(?<!there )(?:is|was) no(?! (?:longer|more|one|such|way))', "isn't a valid …, isn't …"],
  ['mend(?:s|ed|ing)?', 'fix'],
  ['of (?:whatever|whichever|whoever)', 'any'],
  [', say(?=[,.;:)])', 'for example'],
  ['puts? (?:it |them |that |this )?right', 'fix, update'],
  ['(?:make|makes|made) no second', "won't create a duplicate"],
  ['what (?:comes|came|becomes) of', 'results of, what happens to'],
  ['(?:go|goes|went|going) on', 'continue, resume'],
  ['leads? nowhere', "doesn't work"],
  ['anew', 'again'],
  ['base address(?:es)?', 'base URL'],
  ['all but for|but for (?:those|that|the)', 'except'],
  ['(?:gives?|gave) back', 'return'],
  ['of old|of a day ago', 'expired, stale'],
  ['not genuine', 'signature mismatch'],
  ['there(?:of|in|upon)|where(?:of|in|upon)|lest', 'plainer words'],
  ['ends? with an error', 'fail'],
  ['acts? twice', 'create a duplicate'],
  [', also not', ', not even'],
  ['so that (?:it|they|he|she|one) be', 'so that … is'],
  ['whatever (?:its|their) names?', 'with any name'],
  ['that which|those which', 'what, the … that'],
  ['tells (?:what|when|how|where|why)', 'says'],
  ['for ever', 'forever'],
  ['names? no', "doesn't name"],
];

/** British spelling and the American one, also as parts of names in code. */
const SPELLING: readonly (readonly [british: string, american: string])[] = [
  ...[
    ...[
      'author',
      'capital',
      'categor',
      'character',
      'custom',
      'emphas',
      'final',
      'general',
      'human',
      'initial',
      'local',
    ],
    ...[
      'maxim',
      'minim',
      'normal',
      'optim',
      'organ',
      'prior',
      'random',
      'recogn',
      'sanit',
      'serial',
      'special',
      'standard',
    ],
    ...['summar', 'synchron', 'util', 'visual'],
  ].map((stem) => [`${stem}is(?=e|ing|ation)`, `${stem}iz`] as const),
  ...['behavi', 'col', 'fav', 'hon', 'neighb'].map((stem) => [`${stem}our`, `${stem}or`] as const),
  ['licence', 'license'],
  ['artefact', 'artifact'],
  ['catalogue', 'catalog'],
  ['centre', 'center'],
  ['defence', 'defense'],
  ['labell(?=ed(?!by)|ing)', 'label'],
  ['cancell(?=ed|ing)', 'cancel'],
  ['analys(?=ed|ing)', 'analyz'],
  ['grey', 'gray'],
];

/** White space, with the marks of a comment or a quotation if it spans lines. */
const GAP = String.raw`(?:[ \t]|\n[ \t]*(?:\*|//|>|#)?[ \t]*)`;

const PATTERNS = [
  ...IDIOMS.map(([words, use]) => ({
    pattern: new RegExp(`(?:(?<![\\w-])|(?=,))(?:${words.replaceAll(' ', GAP)})(?![\\w-])`, 'gi'),
    use,
  })),
  ...SPELLING.map(([british, use]) => ({ pattern: new RegExp(british, 'gi'), use })),
];

/** Returns the idioms and British spellings in a text, by line. It may be source code. */
export function findIdioms(text: string): Idiom[] {
  return PATTERNS.flatMap(({ pattern, use }) =>
    [...text.matchAll(pattern)].map((match) => ({
      line: text.slice(0, match.index).split('\n').length,
      text: match[0].replaceAll(/\s+/g, ' '),
      use,
    })),
  ).sort((a, b) => a.line - b.line);
}
