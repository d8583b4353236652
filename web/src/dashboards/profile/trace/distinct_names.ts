// Short names of events, each with as much more as tells it from others of the same short name. Pure.

import { shorterNames } from "./names";

const WORD = /[A-Za-z_]\w*|\d+/g;
const MAX_WORDS = 3;

/** By name, what is shown of it: "multi_tensor_apply_kernel · LerpFunctor" where there is one for another functor. */
export function distinctNames(names: Iterable<string>): ReadonlyMap<string, string> {
  const alike = new Map<string, string[]>();
  for (const name of new Set(names)) {
    const short = shorterNames(name).at(-1) ?? name;
    const group = alike.get(short);
    if (group) group.push(name);
    else alike.set(short, [name]);
  }
  const shown = new Map<string, string>();
  for (const [short, group] of alike) {
    if (group.length === 1) shown.set(group[0] as string, short);
    else for (const [name, text] of tellApart(short, group)) shown.set(name, text);
  }
  return shown;
}

function tellApart(short: string, group: readonly string[]): readonly (readonly [string, string])[] {
  const words = group.map((name) => [...new Set(name.match(WORD))]);
  const uses = new Map<string, number>();
  for (const each of words) for (const word of each) uses.set(word, (uses.get(word) ?? 0) + 1);
  const texts = words.map((each) => {
    // What fewest of the others have comes first: one word is often enough.
    const own = each
      .filter((word) => (uses.get(word) as number) < group.length)
      .toSorted((a, b) => (uses.get(a) as number) - (uses.get(b) as number));
    const enough = own.length > 0 && uses.get(own[0] as string) === 1 ? 1 : MAX_WORDS;
    return own.length === 0 ? short : `${short} · ${own.slice(0, enough).join(" ")}`;
  });
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return group.map((name, i) => {
    const text = texts[i] as string;
    return [name, counts.get(text) === 1 ? text : name];
  });
}
