// How long a text is. Of Chinese, Japanese and Korean each character counts as a word, and so do their full stops,
// commas and the like: that is 字数 as Chinese word processors tell it.

const CHARACTER = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3001-\u303f\uff01-\uff0f\uff1a-\uff20]/gu;
const WORD = /[\p{L}\p{N}]+(?:['’.-][\p{L}\p{N}]+)*/gu;

export function countText(text) {
  const single = text.match(CHARACTER)?.length || 0;
  const words = text.replace(CHARACTER, " ").match(WORD)?.length || 0;
  return { words: single + words, characters: [...text.replace(/\s/g, "")].length };
}
