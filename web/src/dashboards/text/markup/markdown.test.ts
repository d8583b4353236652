// @vitest-environment jsdom

import { renderMaths } from "./maths";
import { describe, expect, it } from "vitest";
import { renderMarkdown } from "./markdown";

async function render(text: string): Promise<HTMLElement> {
  const box = document.createElement("div");
  box.innerHTML = await renderMarkdown(text);
  return box;
}

describe("renderMarkdown", () => {
  it("lays out tables, lists and emphasis", async () => {
    const box = await render("# Title\n\n| a | b |\n|---|---|\n| 1 | **2** |\n\n- [x] done\n- [ ] not");
    expect(box.querySelector("h1")?.textContent).toBe("Title");
    expect([...box.querySelectorAll("td")].map((cell) => cell.textContent)).toEqual(["1", "2"]);
    expect([...box.querySelectorAll("li")].map((item) => item.textContent?.trim())).toEqual(["☑ done", "☐ not"]);
  });

  it("ends lines where they end in the log", async () => {
    expect((await render("one\ntwo")).querySelector("p")?.innerHTML).toBe("one<br>two");
  });

  it("colours code of a known language and leaves the rest", async () => {
    const box = await render("```python\ndef f(): return '<b>'\n```\n\n```nobody\n<b>\n```\n\n    plain <i>");
    const [python, other, plain] = box.querySelectorAll("pre");
    expect(python?.querySelector(".hljs-keyword")?.textContent).toBe("def");
    expect(python?.textContent).toBe("def f(): return '<b>'\n");
    expect(other?.innerHTML).toBe("<code>&lt;b&gt;\n</code>");
    expect(plain?.textContent).toBe("plain <i>\n");
  });

  it("shows an object as code and not as a paragraph", async () => {
    const box = await render('{\n  "lr": 0.1\n}');
    expect(box.querySelector("pre")?.textContent).toBe('{\n  "lr": 0.1\n}\n');
    expect(box.querySelector(".hljs-attr")?.textContent).toBe('"lr"');
  });

  it("sets formulas and leaves prices alone", async () => {
    const box = await render("Loss $\\frac{a}{b}$ costs $5 or $6.\n\n$$\nx^2\n$$\n\n\\[ y \\]");
    const formulas = [...box.querySelectorAll("math")];
    expect(formulas).toHaveLength(3);
    expect(formulas[0]?.querySelector("mfrac")).not.toBeNull();
    expect(formulas.map((formula) => formula.getAttribute("display"))).toEqual([null, "block", "block"]);
    expect(box.textContent).toContain("costs $5 or $6.");
  });

  it("keeps what says how a table is built", async () => {
    const box = await render(
      '<table><tr><td colspan="2" align=right onclick=x class="y">1</td></tr></table>\n\n<details open ontoggle=alert(1)><summary>s</summary>t</details>',
    );
    expect([...(box.querySelector("td")?.attributes ?? [])].map(({ name, value }) => `${name}=${value}`)).toEqual([
      "colspan=2",
      "align=right",
    ]);
    expect([...(box.querySelector("details")?.attributes ?? [])].map(({ name }) => name)).toEqual(["open"]);
  });

  it("lets one formula fail without the rest", async () => {
    const box = await render("# Title\n\n$\\href{javascript:window.__x=1}{n}$ and $x$");
    expect(box.querySelector("h1")?.textContent).toBe("Title");
    expect(box.querySelectorAll("math").length).toBeGreaterThan(0);
    expect(box.textContent).toContain("__x=1");
  });

  it("shows a formula that is none with its source", async () => {
    expect((await render("$\\frac{$ and $\\def\\x{\\x\\x}\\x$")).textContent).toContain("\\def");
  });

  it("opens links elsewhere and drops those that lead nowhere good", async () => {
    const box = await render(
      "[a](https://example.org/?q=1) [b](javascript:alert(1)) [c](#/?theme=dark) [d](../api/runs) <https://e.org> [e](data:text/html,x)",
    );
    const links = [...box.querySelectorAll("a")];
    expect(links.map((link) => link.getAttribute("href"))).toEqual([
      "https://example.org/?q=1",
      null,
      null,
      null,
      "https://e.org",
      null,
    ]);
    for (const link of links) expect([link.target, link.rel]).toEqual(["_blank", "noopener noreferrer"]);
  });

  it("fetches no picture but shows where it would be", async () => {
    const box = await render(
      "![a cat](https://example.org/cat.png) ![dot](data:image/png;base64,iVBORw0KGgo=) ![x](data:image/svg+xml,<svg>)",
    );
    expect([...box.querySelectorAll("img")].map((image) => image.getAttribute("src"))).toEqual([
      "data:image/png;base64,iVBORw0KGgo=",
    ]);
    expect(box.querySelector("a")?.getAttribute("href")).toBe("https://example.org/cat.png");
    expect(box.textContent).toContain("a cat");
  });

  it("takes formatting tags without their clothes and shows others as written", async () => {
    const box = await render(
      '<table class="dataframe visually-hidden" style="position:fixed"><tr><td onclick="x()">1</td></tr></table>\n\na <b>bold</b> <script>alert(1)</script> <img src=x onerror=alert(1)> <style>*{}</style> <iframe src="//x"></iframe> <form>',
    );
    expect(box.querySelector("table")?.attributes).toHaveLength(0);
    expect(box.querySelector("td")?.attributes).toHaveLength(0);
    expect(box.querySelector("b")?.textContent).toBe("bold");
    expect(box.querySelector("script, img, style, iframe, form")).toBeNull();
    for (const written of ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<style>", "<iframe", "<form>"])
      expect(box.textContent).toContain(written);
  });

  it.each([
    "<math><annotation-xml encoding='text/html'><img src=x onerror=alert(1)></annotation-xml></math>",
    "<svg><script>alert(1)</script></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>",
    "$\\href{javascript:alert(1)}{x}$ $\\text{<img src=x onerror=alert(1)>}$ $\\includegraphics{https://e.org/x.png}$",
    "<a href='javas\tcript:alert(1)'>x</a> <details open ontoggle=alert(1)><summary>s</summary></details>",
    "<p id=x name=y data-z=1 srcdoc='<script>'>x</p>",
    "```html\n</code></pre><img src=x onerror=alert(1)>\n```",
    "[x]: javascript:alert(1)\n\n[x]",
  ])("lets nothing through that could run: %s", async (text) => {
    const box = await render(text);
    for (const node of box.querySelectorAll("*")) {
      expect(["script", "svg", "img", "iframe", "annotation-xml", "style", "mglyph"]).not.toContain(node.localName);
      for (const { name, value } of node.attributes) {
        expect(name).not.toMatch(/^on|^id$|^name$|^data-|^srcdoc$/);
        expect(value).not.toMatch(/javascript:/i);
      }
    }
  });
});

it("limits the size of what a formula draws", () => {
  const rule = renderMaths("\\rule{1000em}{1000em}", true) ?? "";
  expect(rule).toContain("40em");
  expect(rule).not.toContain("1000");
});
