// Suggests titles while a visitor types in the search box.
const field = document.querySelector("[data-suggestions]");
let asked = 0;

field.addEventListener("input", async () => {
  const number = ++asked;
  const titles = await suggestions(field.value.trim());
  if (number === asked) field.list.replaceChildren(...titles.map((title) => new Option(title)));
});

async function suggestions(typed) {
  if (!typed) return [];
  try {
    const response = await fetch(`${field.dataset.suggestions}?q=${encodeURIComponent(typed)}`);
    return response.ok ? (await response.json()).value.map((each) => each.title) : [];
  } catch {
    return []; // the search works without
  }
}
