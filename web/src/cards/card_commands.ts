// Commands of every page of cards.

import type { Command } from "../state/commands.svelte";
import type { Settings } from "../state/view/settings.svelte";
import type { Section } from "./tag_sections";

interface CardCommands {
  readonly filter: Command;
  readonly collapse: Command;
  readonly expand: Command;
}

/** `group`: their heading in the palette. */
export function cardCommands(group: string, settings: Settings, sections: () => readonly Section[]): CardCommands {
  const toggled = (wanted: readonly Section[]): Set<string> => new Set(wanted.map(({ key }) => key));
  return {
    filter: {
      id: "cards.filter",
      title: "Filter tags",
      group,
      keys: "/",
      run: () => document.querySelector<HTMLInputElement>('[aria-label="Filter tags (regex)"]')?.focus(),
    },
    collapse: {
      id: "cards.collapse",
      title: "Collapse all sections",
      group,
      run: () => settings.set({ collapsed: toggled(sections().filter((section) => !section.startsCollapsed)) }),
    },
    expand: {
      id: "cards.expand",
      title: "Expand all sections",
      group,
      run: () => settings.set({ collapsed: toggled(sections().filter((section) => section.startsCollapsed)) }),
    },
  };
}
