// Chart commands for the palette and the keyboard.

import { cardCommands } from "../../cards/card_commands";
import type { Command } from "../../state/commands.svelte";
import type { Session } from "../../state/session.svelte";
import type { CardView } from "../../state/view/view";
import type { ScalarsPage } from "./scalars_page.svelte";
import { nudge } from "../../lines/smoothing_kinds";

export function chartCommands(session: Session, page: ScalarsPage): Command[] {
  const { settings } = session;
  const { filter, collapse, expand } = cardCommands("Charts", settings, () => page.sections);
  const command = (id: string, title: string, run: () => void, keys?: string): Command => ({
    id: `charts.${id}`,
    title,
    group: "Charts",
    run,
    ...(keys && { keys }),
  });
  const axis = (x: string, title: string): Command => command(`x.${x}`, `X axis: ${title}`, () => settings.setXAxis(x));
  const flag = (
    field: "showsRaw" | "showsEarlier" | "cutsOutliers" | "isZoomLinked" | "breaksFalls",
    title: string,
  ): Command => command(field, title, () => settings.set({ [field]: !settings.view[field] }));
  return [
    filter,
    command("smoother", "Smooth more", () => settings.set({ smoothing: nudge(settings.smoothing, 1) }), "."),
    command("rougher", "Smooth less", () => settings.set({ smoothing: nudge(settings.smoothing, -1) }), ","),
    axis("step", "step"),
    axis("relative", "relative time"),
    axis("wall", "wall time"),
    command(
      "full",
      "Full screen of the card that is pointed at",
      () => (page.fullScreen = page.fullScreen ? null : page.active),
      "f",
    ),
    command(
      "pin",
      "Pin or unpin the card that is pointed at",
      () => page.active !== null && settings.togglePin(page.active),
      "p",
    ),
    command("bands", "Lines or bands", () => settings.set({ groupBy: settings.groupBy ? "" : "config" }), "b"),
    collapse,
    expand,
    command("unzoom", "Reset all zooms", () => settings.set({ cards: unzoomed(settings.cards), linkedX: null })),
    command("unpin", "Clear pins", () => settings.set({ pinned: [] })),
    flag("showsRaw", "Raw lines on or off"),
    flag("showsEarlier", "Earlier attempts on or off"),
    flag("cutsOutliers", "Cut outliers on or off"),
    flag("isZoomLinked", "Link zoom across cards on or off"),
    flag("breaksFalls", "Break lines where x falls back on or off"),
  ];
}

function unzoomed(cards: ReadonlyMap<string, CardView>): Map<string, CardView> {
  const kept = new Map<string, CardView>();
  for (const [id, { x: _x, y: _y, y2: _y2, ...others }] of cards)
    if (Object.keys(others).length > 0) kept.set(id, others);
  return kept;
}
