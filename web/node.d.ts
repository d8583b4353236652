// All that vite.config.ts uses of Node: with the types of the whole, the page's code could use Node too.

declare module "node:fs" {
  export function readFileSync(path: string, encoding: "utf8"): string;
  export function writeFileSync(path: string, text: string): void;
}

declare module "node:path" {
  export function join(...parts: string[]): string;
}
