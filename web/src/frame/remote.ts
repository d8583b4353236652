// Locations that are read over a network, in words: how they are doing, and what reading them has taken.

import type { RemoteStatus } from "../api/types";
import { countOf } from "../base/count";
import { formatBytes } from "../base/format";

const STATES: Readonly<Record<string, string>> = {
  connecting: "connecting",
  current: "up to date",
  lost: "connection lost",
  denied: "access denied",
  throttled: "asked to slow down",
  missing: "nothing there",
  failed: "error of the store",
};

export const stateText = (state: string): string => STATES[state] ?? state;

export const isTroubled = ({ state }: RemoteStatus): boolean => state !== "current" && state !== "connecting";

/** not live: looks every 30 s */
export function paceText(remote: readonly RemoteStatus[]): string {
  const slowest = Math.max(0, ...remote.map(({ interval_s }) => interval_s));
  return slowest > 0 ? `not live: looks every ${Math.round(slowest)} s` : "not live";
}

/** What is wrong, of the first location with which something is; "" if nothing is. */
export function troubleText(remote: readonly RemoteStatus[]): string {
  const troubled = remote.filter(isTroubled);
  const [first] = troubled;
  if (!first) return "";
  const scheme = first.location.split("://")[0] ?? "";
  const more = troubled.length > 1 ? ` (and ${troubled.length - 1} more)` : "";
  return `${scheme}: ${stateText(first.state)}${more}`;
}

/** 12 requests, 3.1 MB, about $0.0004 */
export function trafficText({ requests, fetched_bytes, cost_usd }: RemoteStatus): string {
  const cost = cost_usd === null || cost_usd === undefined ? [] : [costText(cost_usd)];
  return [countOf(requests, "request"), formatBytes(fetched_bytes), ...cost].join(", ");
}

function costText(usd: number): string {
  if (usd === 0) return "no cost";
  return usd < 0.0001 ? "less than $0.0001" : `about $${usd < 0.1 ? usd.toFixed(4) : usd.toFixed(2)}`;
}
