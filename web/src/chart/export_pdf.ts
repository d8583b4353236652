// Charts as a PDF file with a page each: lines as paths, labels as text in Helvetica, which every reader has.

import { isClipped, type PathShape, type Shapes, type TextShape } from "./picture_shapes";

const PT_PER_PX = 0.75;
// Of the printable ASCII characters, in thousandths of the size.
const WIDTHS =
  "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584"
    .split(" ")
    .map(Number);
const OTHER_WIDTH = 556;
const BOLD = 1.06;
// Characters of Windows-1252 that Latin-1 does not have; a minus is as wide as an en dash.
const WINDOWS_1252: Readonly<Record<string, number>> = {
  "€": 0x80,
  "…": 0x85,
  "‘": 0x91,
  "’": 0x92,
  "“": 0x93,
  "”": 0x94,
  "•": 0x95,
  "–": 0x96,
  "−": 0x96,
  "—": 0x97,
};

export function toPdf(pages: readonly Shapes[]): Blob {
  const first = 5;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, i) => `${first + 2 * i} 0 R`).join(" ")}] >>`,
    ...["Helvetica", "Helvetica-Bold"].map(
      (name) => `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`,
    ),
    ...pages.flatMap((page, i) => {
      const content = contentOf(page);
      const alphas = [...new Set(page.list.map(alphaOf))].map((a) => `/${alphaName(a)} << /ca ${a} /CA ${a} >>`);
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${pt(page.widthPx)} ${pt(page.heightPx)}] /Contents ${first + 2 * i + 1} 0 R ` +
          `/Resources << /Font << /F 3 0 R /B 4 0 R >> /ExtGState << ${alphas.join(" ")} >> >> >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
  ];
  let text = "%PDF-1.4\n";
  const offsets = objects.map((object, i) => {
    const offset = text.length;
    text += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const count = objects.length + 1;
  text += `xref\n0 ${count}\n0000000000 65535 f \n${table}trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
  // One byte a character: everything above is Latin-1.
  return new Blob([Uint8Array.from(text, (letter) => letter.charCodeAt(0))], { type: "application/pdf" });
}

const pt = (px: number): number => Math.round(px * PT_PER_PX * 100) / 100;
const alphaOf = (shape: PathShape | TextShape): number => (shape.kind === "path" ? shape.alpha : 1);
const alphaName = (alpha: number): string => `A${Math.round(alpha * 1000)}`;

function contentOf({ heightPx, plot: [left, top, right, bottom], list }: Shapes): string {
  const at = (xPx: number, yPx: number): string => `${pt(xPx)} ${pt(heightPx - yPx)}`;
  const clip = `${at(left, bottom)} ${pt(right - left)} ${pt(bottom - top)} re W n`;
  return list
    .map((shape) => {
      if (shape.kind === "text") return textOf(shape, at);
      const { parts, color, alpha, widthPx, dash } = shape;
      const path = parts
        .map((points) => points.map(([x, y], i) => `${at(x, y)} ${i === 0 ? "m" : "l"}`).join("\n"))
        .join("\n");
      const paint =
        widthPx === undefined
          ? `${rgb(color)} rg\n${path}\nh f`
          : `${rgb(color)} RG ${pt(widthPx)} w 1 j [${dash.map(pt).join(" ")}] 0 d\n${path}\nS`;
      return `q /${alphaName(alpha)} gs${isClipped(shape) ? ` ${clip}` : ""}\n${paint}\nQ`;
    })
    .join("\n");
}

function textOf(
  { text, xPx, yPx, sizePx, color, anchor, isBold }: TextShape,
  at: (x: number, y: number) => string,
): string {
  const letters = [...text].map(encode);
  const widthPx =
    (letters.reduce((all, code) => all + (WIDTHS[code - 32] ?? OTHER_WIDTH), 0) / 1000) * sizePx * (isBold ? BOLD : 1);
  const startPx = xPx - (anchor === "middle" ? widthPx / 2 : anchor === "end" ? widthPx : 0);
  const written = letters.map((code) => String.fromCharCode(code).replace(/[\\()]/, "\\$&")).join("");
  return `BT /${isBold ? "B" : "F"} ${pt(sizePx)} Tf ${rgb(color)} rg ${at(startPx, yPx)} Td (${written}) Tj ET`;
}

/** Letters that Helvetica does not have become a question mark. */
function encode(letter: string): number {
  const code = letter.codePointAt(0) ?? 0;
  if (code >= 32 && code < 127) return code;
  return WINDOWS_1252[letter] ?? (code >= 160 && code < 256 ? code : 63);
}

/** `#rrggbb` as three numbers from 0 to 1. */
function rgb(color: string): string {
  const [r = 0, g = 0, b = 0] = (/^#(..)(..)(..)/.exec(color) ?? []).slice(1).map((part) => parseInt(part, 16) / 255);
  return [r, g, b].map((part) => Math.round(part * 1000) / 1000).join(" ");
}
