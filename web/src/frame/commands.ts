// The commands of the frame itself.

import type { Command } from "../state/commands.svelte";
import type { Tab } from "../cards/dashboards";
import type { Session } from "../state/session.svelte";
import type { Theme } from "../state/view/view";
import { copyText } from "../base/files";
import { addressOf, linkTo, undo } from "./address.svelte";
import type { DialogName } from "./dialogs";

const THEMES: Readonly<Record<Theme, string>> = {
  light: "Light theme",
  dark: "Dark theme",
  system: "System theme",
};

export function frameCommands(session: Session, tabs: readonly Tab[], open: (name: DialogName) => void): Command[] {
  const { settings, messages } = session;
  const group = "Page";
  return [
    { id: "page.palette", title: "Find anything…", group, keys: "Ctrl+k", run: () => open("palette") },
    { id: "page.help", title: "Help", group, keys: "h", run: () => open("help") },
    { id: "page.shortcuts", title: "Keyboard shortcuts", group, keys: "?", run: () => open("shortcuts") },
    { id: "page.settings", title: "Settings", group, keys: "Ctrl+,", run: () => open("settings") },
    {
      id: "page.pause",
      title: session.isPaused ? "Resume updates" : "Pause updates",
      group,
      keys: "l",
      run: () => session.pause(!session.isPaused),
    },
    { id: "page.reload", title: "Refresh runs and tags", group, keys: "r", run: () => session.retry() },
    { id: "page.health", title: "File health", group, run: () => open("health") },
    { id: "page.nan", title: "First NaN across tags…", group, run: () => open("notFinite") },
    ...(Object.keys(THEMES) as Theme[]).map((theme) => ({
      id: `page.theme.${theme}`,
      title: THEMES[theme],
      group,
      run: () => session.setTheme(theme),
    })),
    {
      id: "page.theme.toggle",
      title: "Switch between light and dark",
      group,
      keys: "t",
      run: () => session.setTheme(settings.shownTheme === "dark" ? "light" : "dark"),
    },
    { id: "view.save", title: "Save this view…", group: "Views", keys: "s", run: () => open("saveView") },
    { id: "view.manage", title: "Saved views…", group: "Views", keys: "g v", run: () => open("views") },
    {
      id: "view.link",
      title: "Copy link to this view",
      group: "Views",
      keys: "y",
      run: () => void copyLink(session, addressOf(session)),
    },
    {
      id: "view.undo",
      title: "Undo the last view change",
      group: "Views",
      keys: "u",
      run: () => void (undo() || messages.say("Nothing to undo.")),
    },
    { id: "view.redo", title: "Redo", group: "Views", keys: "U", run: () => history.forward() },
    { id: "view.reset", title: "Reset the view", group: "Views", run: () => settings.reset() },
    ...(session.shared.isOn
      ? [
          {
            id: "marks.share",
            title: "Share the marks of this browser",
            group: "Views",
            run: () => session.shared.shareOwn(),
          },
        ]
      : []),
    ...tabCommands(tabs, (dashboard) => settings.set({ dashboard })),
  ];
}

export async function copyLink({ messages }: Session, address: string): Promise<void> {
  const isCopied = await copyText(linkTo(address));
  messages.say(isCopied ? "Link copied." : "The browser did not allow copying the link.", {
    isError: !isCopied,
  });
}

/** `g` and a letter of the title: the first that no earlier tab uses. `v` opens the views. */
export function tabCommands(tabs: readonly Pick<Tab, "name" | "title">[], show: (name: string) => void): Command[] {
  const taken = new Set(["v"]);
  return tabs.map(({ name, title }) => {
    const letter = [...title.toLowerCase()].find((each) => /[a-z]/.test(each) && !taken.has(each));
    if (letter) taken.add(letter);
    return {
      id: `tab.${name}`,
      title: `Go to ${title}`,
      group: "Dashboards",
      ...(letter && { keys: `g ${letter}` }),
      run: () => show(name),
    };
  });
}
