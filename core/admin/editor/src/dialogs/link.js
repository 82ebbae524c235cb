// The dialog of a link: an address, or words that find content items, channels and files of the site.

import { make } from "../dom.js";
import { Combobox } from "../frame/combobox.js";
import { withAttribute } from "../markup/kept.js";
import { isSafeAddress, isWrittenAddress } from "../sources.js";
import { ask } from "./form.js";

const PAUSE = 250; // milliseconds after a key

export const unsafe = (words, address) => (address && !isSafeAddress(address) ? words.say("unsafe_address") : null);

/** Make, change or remove the link at the selection. */
export async function askLink(context) {
  const { editor, words, links } = context;
  editor.chain().extendMarkRange("link").run();
  const old = editor.getAttributes("link").kept || null;
  const { from, to, empty } = editor.state.selection;
  const text = { name: "text", label: words.say("link_text") };
  const href = targetField(context, old?.href, (target) => {
    if (empty) {
      text.input.value ||= target.title;
    }
  });
  const blank = { name: "blank", label: words.say("new_window"), kind: "checkbox", value: old?.target === "_blank" };
  const check = (values) => unsafe(words, values.href) || (isAddress(links, values.href, old?.href) ? null : words.say("no_target"));
  const fields = [href, ...(empty ? [text] : []), blank];
  const answer = await ask(words, { title: words.say("link"), fields, removes: old && words.say("remove_link"), check });
  const chain = editor.chain().focus().setTextSelection({ from, to });
  if (answer === "remove") {
    chain.unsetMark("link").run();
  } else if (answer) {
    const target = withAttribute(withAttribute(old, "href", answer.href), "target", answer.blank ? "_blank" : "");
    const kept = withAttribute(target, "rel", answer.blank ? "noopener" : old?.rel === "noopener" ? "" : old?.rel);
    const shown = answer.text || answer.href;
    (empty ? chain.insertContent({ type: "text", text: shown, marks: [{ type: "link", attrs: { kept } }] }) : chain.unsetMark("link").setMark("link", { kept })).run();
  } else {
    chain.run();
  }
}

// Without this check, the words of a search would become a relative address.
const isAddress = (links, address, old) => !links.isSearched || address === old || isWrittenAddress(address);

function targetField({ words, links }, value, chosen) {
  const told = make("p", { class: "quiet", role: "status" });
  const tell = (target) => {
    told.textContent = target ? [target.title, target.note].filter(Boolean).join(" · ") : "";
  };
  const field = { name: "href", label: words.say("address"), kind: "url", value, required: true, help: words.say(links.isSearched ? "link_target_help" : "link_help"), below: () => told };
  if (!links.isSearched) {
    return field;
  }
  let pause = null;
  let skip = () => {};
  const find = (typed) => {
    skip();
    tell(links.find(typed));
    if (!typed || isWrittenAddress(typed)) {
      return null;
    }
    return new Promise((resolve) => {
      skip = () => {
        clearTimeout(pause);
        resolve(null);
      };
      pause = setTimeout(async () => {
        const { targets, message } = await links.search(typed);
        if (message) {
          told.textContent = message;
        }
        resolve(targets?.map((target) => ({ text: target.title, note: target.note, target })) ?? null);
      }, PAUSE);
    });
  };
  field.enhance = (input) => {
    const choose = ({ target }) => {
      input.value = target.address;
      links.add(target);
      tell(target);
      chosen(target);
    };
    new Combobox(input, { isFree: true, words: { found: words.say("found"), more: "" }, find, choose, settle: skip });
    tell(links.find(value || ""));
  };
  return field;
}

/** Make the selected text a link to the pasted address; false if either is something else. */
export function linkPasted(editor, pasted) {
  const { selection } = editor.state;
  const href = pasted.trim();
  const isText = !selection.empty && !selection.node && !selection.$anchorCell;
  if (!isText || !/^(https?:\/\/|mailto:|@\/)\S+$/i.test(href) || !isSafeAddress(href)) {
    return false;
  }
  return editor.chain().unsetMark("link").setMark("link", { kept: { href } }).run();
}
