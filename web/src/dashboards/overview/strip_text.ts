// The strip's answer as text: ages, differences, what is wrong with a run. Pure.

import type { BestValue, Trouble } from "../../api/types";
import { countOf } from "../../base/count";
import { formatBytes, formatStep, formatValue } from "../../base/format";
import { visibleText } from "../../base/visible_text";
import type { IconName } from "../../ui/Icon.svelte";

/** 8 s, 26 min, 3 h, 2 d. */
export function ageText(seconds: number): string {
  if (!Number.isFinite(seconds)) return "";
  const s = Math.max(0, Math.floor(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3_600) return `${Math.floor(s / 60)} min`;
  return s < 86_400 ? `${Math.floor(s / 3_600)} h` : `${Math.floor(s / 86_400)} d`;
}

/** Longer is a clock that was wrong. */
const MAX_LEFT_S = 1e10;

/** "18 min left"; "" if it is unknown or past. */
export function leftText(seconds: number | null): string {
  if (seconds === null || !(seconds > 0 && seconds < MAX_LEFT_S)) return "";
  const minutes = Math.round(seconds / 60);
  if (minutes < 1) return "< 1 min left";
  if (minutes < 90) return `${minutes} min left`;
  const hours = Math.round(seconds / 3_600);
  return hours < 48 ? `${hours} h left` : `${Math.round(hours / 24)} d left`;
}

/** How the best value compares to that of the baseline; null without one. */
export function differenceText({ value, baseline, best }: BestValue): { text: string; isBetter: boolean } | null {
  if (baseline === null) return null;
  const difference = value - baseline;
  const size = formatValue(Math.abs(difference));
  return { text: `${difference < 0 ? "−" : "+"}${size}`, isBetter: best === "max" ? difference > 0 : difference < 0 };
}

interface TroubleWords {
  readonly icon: IconName;
  readonly look: "bad" | "warn" | "plain";
  readonly what: string;
  /** Beside the name of the run. */
  readonly where: string;
}

/** `ageS`: of the run's newest value. */
export function troubleWords(trouble: Trouble, ageS: number): TroubleWords {
  const { kind, tag, tags, step } = trouble;
  const at = step === null ? "" : ` @ ${formatStep(step)}`;
  switch (kind) {
    case "nan":
      return {
        icon: "close",
        look: "bad",
        what: `${trouble.is_infinite ? "∞" : "NaN"} in ${visibleText(tag ?? "")}${tags > 1 ? ` +${tags - 1}` : ""}`,
        where: at,
      };
    case "failed":
      return { icon: "close", look: "bad", what: "Failed", where: "" };
    case "damaged": {
      const lost =
        trouble.lost_bytes > 0 ? formatBytes(trouble.lost_bytes) : countOf(trouble.skipped_records, "record");
      return { icon: "warning", look: "bad", what: "Damaged file", where: `, ${lost} lost` };
    }
    case "silent":
      return { icon: "clock", look: "warn", what: `Silent ${ageText(ageS)}`, where: "" };
    case "restarted":
      return { icon: "unzoom", look: "plain", what: "Restarted", where: at };
  }
}

export interface Drawing {
  readonly path: string;
  /** Where the line ends. */
  readonly end: { readonly x: number; readonly y: number } | null;
}

/** A line in a box of this size; values that are not finite interrupt it. */
export function drawSparkline(
  line: { readonly step: readonly number[]; readonly value: readonly number[] },
  widthPx: number,
  heightPx: number,
): Drawing {
  const finite = line.value.filter(Number.isFinite);
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  const [first = 0, last = 0] = [line.step[0], line.step.at(-1)];
  let path = "";
  let end: Drawing["end"] = null;
  let isOpen = false;
  line.value.forEach((value, i) => {
    if (!Number.isFinite(value)) {
      isOpen = false;
      return;
    }
    const x = last === first ? widthPx : (((line.step[i] ?? first) - first) / (last - first)) * widthPx;
    const y = high === low ? heightPx / 2 : heightPx - ((value - low) / (high - low)) * heightPx;
    path += `${isOpen ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`;
    isOpen = true;
    end = { x, y };
  });
  return { path, end };
}
