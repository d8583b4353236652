// The first code of the page, and little of it: says what the address needs, so that its code and its lists are under
// way while the frame is still on its way.

import { listsPath } from "./api/lists_path";
import { type DashboardModule, guessModule, loadCard, loadDashboard } from "./cards/dashboards";

const modules = import.meta.glob<DashboardModule>("./dashboards/*/index.ts", { eager: true, import: "default" });
const likely = guessModule(modules, /^#\/?(\w*)/.exec(location.hash)?.[1] ?? "");

const lists = listsPath(likely?.lists ?? []);
const listed = fetch(`api/${lists}`);
// What cannot be had is told when it is needed.
listed.catch(() => undefined);
/** Cards of what it lists, be they its own or another's. */
const offers = Object.values(modules).flatMap(({ cards = [] }) =>
  cards.filter(({ kind }) => likely?.lists.includes(kind)),
);
const code = likely && Promise.all([loadDashboard(likely), ...offers.map(loadCard)]).catch(() => undefined);
void import("./main").then(({ open }) =>
  open(modules, { lists: likely?.lists ?? [], offers, code }, new Map([[lists, listed]])),
);
