// Starts the page: one session with the server the page came from, shown by App. Everything that the first picture needs is
// under way before anything is drawn.

import { mount } from "svelte";
import App from "./App.svelte";
import { Client } from "./api/client";
import { type LiveHandlers, openLive } from "./api/live";
import { readArrival } from "./frame/address.svelte";
import { type DashboardModule, guessModule, loadDashboard } from "./state/dashboards";
import { Session } from "./state/session.svelte";
import "./ui/theme.css";

const modules = import.meta.glob<DashboardModule>("./dashboards/*/index.ts", { eager: true, import: "default" });
const session = new Session(new Client());
readArrival(session);
const likely = guessModule(modules, session.settings.dashboard);
for (const kind of likely?.lists ?? []) session.tags.want(kind);
// A chunk that cannot be had is told when it is needed.
if (likely) loadDashboard(likely).catch(() => undefined);
session.start(listenAfterPaint);
mount(App, { target: document.body, props: { session, modules } });

/** Opening the connection costs as much as a chart; nothing waits for it. */
function listenAfterPaint(handlers: LiveHandlers): () => void {
  let stop = (): void => undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const frame = requestAnimationFrame(() => (timer = setTimeout(() => (stop = openLive(handlers)))));
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    stop();
  };
}
