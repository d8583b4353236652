// Reads what people type for a position in time. Pure; the counterpart of formatDuration and formatTime.

const SECONDS = { d: 86_400, h: 3_600, m: 60, min: 60, s: 1, sec: 1 } as const;
const PART = /(\d+(?:\.\d+)?)\s*(d|h|min|m|sec|s)(?![a-z])/gi;

/** Seconds: "3 m 20 s", "1h30m", "1:02:03", "200"; null if it is none of these. */
export function parseDuration(text: string): number | null {
  const sign = /^\s*[-−]/.test(text) ? -1 : 1;
  const rest = text.replace(/^\s*[-−]/, "").trim();
  if (/^\d+(\.\d+)?$/.test(rest)) return sign * Number(rest);
  if (/^\d+(:\d{1,2}){1,2}(\.\d+)?$/.test(rest))
    return sign * rest.split(":").reduce((total, part) => total * 60 + Number(part), 0);
  const parts = [...rest.matchAll(PART)];
  if (parts.length === 0 || rest.replace(PART, "").trim() !== "") return null;
  return (
    sign *
    parts.reduce(
      (total, [, number, unit = "s"]) => total + Number(number) * SECONDS[unit.toLowerCase() as keyof typeof SECONDS],
      0,
    )
  );
}

/**
 * Seconds since 1970: "03:48:44" on the day of `near`, "16 Nov 03:48", or a full date as ISO 8601 writes it. Null if it
 * is none of these.
 */
export function parseTime(text: string, near: number): number | null {
  const written = text.trim();
  const day = new Date(near * 1000);
  const clock = /^(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d+)?))?$/.exec(written);
  if (clock) {
    const [, hours, minutes, seconds = "0"] = clock;
    const whole = Math.floor(Number(seconds));
    day.setHours(Number(hours), Number(minutes), whole, Math.round((Number(seconds) - whole) * 1000));
    return day.getTime() / 1000;
  }
  if (!/\d/.test(written) || /^\d+$/.test(written)) return null;
  const hasYear = /\b\d{4}\b/.test(written);
  const date = Date.parse(hasYear ? written.replace("Sept ", "Sep ") : withYear(written, day.getFullYear()));
  return Number.isNaN(date) ? null : date / 1000;
}

/** "16 Nov 03:48" → "16 Nov 2026 03:48", which every browser reads. */
const withYear = (written: string, year: number): string =>
  written.replace("Sept ", "Sep ").replace(/^(\d{1,2} [a-z]+)/i, `$1 ${year}`);

/** "6,400", "6.4k", "1.2M", "-3". */
export function parseStep(text: string): number | null {
  const [, number = "", unit = ""] = /^([-−]?[\d,_. ]*\d)\s*([km]?)$/i.exec(text.trim()) ?? [];
  const value = Number(number.replaceAll(/[,_ ]/g, "").replace("−", "-"));
  if (number === "" || !Number.isFinite(value)) return null;
  return value * { "": 1, k: 1_000, m: 1_000_000 }[unit.toLowerCase() as "" | "k" | "m"];
}
