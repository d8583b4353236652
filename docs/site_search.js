// Searches the guide in the browser: sections that have all words, those with them in headings first. The index is fetched on first use.

const MOST = 12;
const AROUND = 60;
const field = document.getElementById("search");
const list = document.getElementById("found");
const count = document.getElementById("found-count");
let index = null;

async function load() {
  index ??= fetch("search.json").then((answer) => answer.json());
  return index;
}

// Sections are [address, title of the page, heading, text].
function score([, title, heading, text], words) {
  let sum = 0;
  for (const word of words) {
    if (heading.toLowerCase().includes(word)) sum += 10;
    else if (title.toLowerCase().includes(word)) sum += 5;
    else if (text.toLowerCase().includes(word)) sum += 1;
    else return 0;
  }
  return sum;
}

function excerpt(text, words) {
  const places = words.map((word) => text.toLowerCase().indexOf(word)).filter((place) => place >= 0);
  const start = Math.max(0, Math.min(...places, text.length) - AROUND);
  const shown = text.slice(places.length ? start : 0, (places.length ? start : 0) + 2 * AROUND);
  return `${start && places.length ? "…" : ""}${shown.trim()}${start + 2 * AROUND < text.length ? "…" : ""}`;
}

function show(found, words) {
  list.replaceChildren(
    ...found.slice(0, MOST).map(([address, title, heading, text]) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      const place = document.createElement("span");
      link.href = address;
      link.textContent = heading === title ? title : `${title}: ${heading}`;
      place.textContent = excerpt(text, words);
      item.append(link, place);
      return item;
    }),
  );
}

async function search() {
  const asked = field.value;
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) {
    list.replaceChildren();
    count.textContent = "";
    return;
  }
  const sections = await load();
  // Another letter was typed meanwhile.
  if (field.value !== asked) return;
  const found = sections
    .map((section) => [score(section, words), section])
    .filter(([points]) => points > 0)
    .sort((a, b) => b[0] - a[0])
    .map(([, section]) => section);
  show(found, words);
  const more = found.length > MOST ? `, the first ${MOST} are shown` : "";
  count.textContent = found.length ? `${found.length} found${more}` : "Nothing found";
}

field.addEventListener("focus", () => void load());
field.addEventListener("input", () => void search());
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter") list.querySelector("a")?.click();
  if (event.key === "Escape") {
    field.value = "";
    void search();
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== field) {
    event.preventDefault();
    field.focus();
  }
});
