// The first code of the page, kept small: it finds out what the address needs, so that this code and the lists load
// together with the frame.

import { askEarly, earlyKey, type EarlyRequest, listsPath } from "./api/lists_path";
import { type DashboardModule, guessModule, loadCard, loadDashboard } from "./cards/dashboards";

const modules = import.meta.glob<DashboardModule>("./dashboards/*/index.ts", { eager: true, import: "default" });

function start(): void {
  const likely = guessModule(modules, /^#\/?(\w*)/.exec(location.hash)?.[1] ?? "");

  const offered = Object.values(modules).flatMap(({ cards = [] }) => cards);
  const kinds = !likely
    ? []
    : likely.lists === "offered"
      ? [...new Set(offered.map(({ kind }) => kind))]
      : likely.lists;
  const early = new Map(
    [{ path: listsPath(kinds) }, ...(likely?.first ?? [])].map(({ path, body }: EarlyRequest) => {
      const answer = askEarly({ path, ...(body !== undefined && { body }) });
      // Errors are reported when the answer is needed.
      answer.catch(() => undefined);
      return [earlyKey(path, body), answer];
    }),
  );
  /** Cards for the kinds that it lists, its own and those of other dashboards. */
  const offers = offered.filter(({ kind }) => kinds.includes(kind));
  const leading = offers.filter(({ kind }) => (likely?.leads ?? kinds).includes(kind));
  const code =
    likely && Promise.all([loadDashboard(likely), ...leading.map(loadCard)]).then(([dashboard]) => dashboard);
  // Reported when the dashboard is opened.
  code?.catch(() => undefined);
  void import("./main").then(({ open }) => open(modules, { lists: kinds, offers, code }, early));
}

// The start page of a server with projects is another one.
if (document.documentElement.dataset["page"] === "projects")
  void import("./frame/projects/open").then(({ open }) => open());
else start();
