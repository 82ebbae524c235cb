// How long a text is. Of Chinese, Japanese and Korean each character counts as a word.

const CHARACTER = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const WORD = /[\p{L}\p{N}]+(?:['’.-][\p{L}\p{N}]+)*/gu;

export function countText(text) {
  const single = text.match(CHARACTER)?.length || 0;
  const words = text.replace(CHARACTER, " ").match(WORD)?.length || 0;
  return { words: single + words, characters: [...text.replace(/\s/g, "")].length };
}
