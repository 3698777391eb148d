import { ParameterError, type ParameterInfo } from './ParameterError.ts';
import { showInput } from './showValue.ts';

/** Maximum length of a value in a title. */
const MAX_VALUE_LENGTH = 60;

/** What spoils a text, with what to do about it. `$1` in the title is what the pattern's group matched. */
export interface Mistake {
  pattern: RegExp;
  title: string;
  advice: string;
}

/** A template that nothing has filled in. */
export const PLACEHOLDER: Mistake = {
  pattern: /\{\{[^{]*\}\}/,
  title: 'contains a placeholder instead of its value',
  advice: 'Replace the placeholder with its value, for example by mapping the field again.',
};

/** What a reader puts in place of bytes that it can't decode. */
export const LOST_CHARACTER: Mistake = {
  pattern: /\ufffd/,
  title: 'contains a character that was lost',
  advice: 'Type it again, or save the file as UTF-8 and read it again.',
};

/** @throws ParameterError for the first of the mistakes that a text has, with the text, or what is shown in its place */
export function refuseMistakes(text: string, { label }: ParameterInfo, all: Mistake[], shown = text): void {
  const mistake = all.find(({ pattern }) => pattern.test(text));
  if (mistake === undefined) return;
  const { pattern, title, advice } = mistake;
  const part = showInput(pattern.exec(text)?.[1] ?? '', MAX_VALUE_LENGTH);
  const problem = title.replace('$1', () => part);
  const message = `${label} ${problem}: '${showInput(shown, MAX_VALUE_LENGTH)}'.`;
  throw new ParameterError(message, { code: 'validation_failed', parameter: label, advice });
}
