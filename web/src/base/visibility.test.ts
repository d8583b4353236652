// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from "vitest";
import { watchVisibility } from "./visibility";

let report: ((isIntersecting: boolean) => void) | null = null;

class FakeObserver {
  constructor(private readonly callback: (entries: { isIntersecting: boolean }[]) => void) {}
  observe(): void {
    report = (isIntersecting) => this.callback([{ isIntersecting }]);
  }
  disconnect(): void {
    report = null;
  }
}

function setHidden(isHidden: boolean): void {
  Object.defineProperty(document, "hidden", { configurable: true, value: isHidden });
  document.dispatchEvent(new Event("visibilitychange"));
}

describe("watchVisibility", () => {
  afterEach(() => {
    setHidden(false);
    vi.unstubAllGlobals();
  });

  it("follows the tab", () => {
    const told: boolean[] = [];
    const stop = watchVisibility((isVisible) => told.push(isVisible));
    setHidden(true);
    setHidden(false);
    stop();
    setHidden(true);
    expect(told).toEqual([true, false, true]);
    expect(report).toBeNull();
  });

  it("follows a frame that is scrolled, in a tab that is switched", () => {
    vi.stubGlobal("IntersectionObserver", FakeObserver);
    vi.stubGlobal("window", { top: {} });
    const told: boolean[] = [];
    const stop = watchVisibility((isVisible) => told.push(isVisible));
    report?.(true);
    report?.(false);
    setHidden(true);
    setHidden(false);
    report?.(true);
    expect(told).toEqual([true, true, false, false, false, true]);
    stop();
    expect(report).toBeNull();
  });
});
