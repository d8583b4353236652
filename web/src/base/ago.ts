// How long ago something was, in words.

export function agoText(ms: number): string {
  const s = Math.floor(ms / 1000);
  if (s < 2) return "just now";
  if (s < 60) return `${s} s ago`;
  if (s < 3_600) return `${Math.floor(s / 60)} min ago`;
  return s < 86_400 ? `${Math.floor(s / 3_600)} h ago` : `${Math.floor(s / 86_400)} d ago`;
}
