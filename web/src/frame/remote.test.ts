import { describe, expect, it } from "vitest";
import type { RemoteStatus } from "../api/types";
import { paceText, trafficText, troubleText } from "./remote";

const remote = (more: Partial<RemoteStatus> = {}): RemoteStatus => ({
  location: "s3://bucket/logs",
  state: "current",
  reason: "",
  advice: "",
  interval_s: 30,
  looked_at: 1.8e9,
  requests: 12,
  fetched_bytes: 3_100_000,
  cost_usd: 0.00042,
  ...more,
});

describe("remote locations", () => {
  it("are looked at as often as the slowest of them", () => {
    expect(paceText([remote({ interval_s: 7.5 }), remote()])).toBe("not live: looks every 30 s");
    expect(paceText([remote({ interval_s: 0 })])).toBe("not live");
  });

  it("say what is wrong", () => {
    expect(troubleText([remote(), remote({ state: "connecting" })])).toBe("");
    expect(troubleText([remote(), remote({ state: "lost" })])).toBe("s3: connection lost");
    expect(troubleText([remote({ state: "denied" }), remote({ state: "lost" })])).toBe(
      "s3: access denied (and 1 more)",
    );
  });

  it("say what they took", () => {
    expect(trafficText(remote())).toBe("12 requests, 3.1 MB, about $0.0004");
    expect(trafficText(remote({ cost_usd: 1.234, requests: 1 }))).toBe("1 request, 3.1 MB, about $1.23");
    expect(trafficText(remote({ cost_usd: 0.00001 }))).toBe("12 requests, 3.1 MB, less than $0.0001");
    expect(trafficText(remote({ cost_usd: null }))).toBe("12 requests, 3.1 MB");
  });
});
