export class Composer {
  add(_: unknown): void {}
  compose(_: ReadonlySet<string>): import("./composed").Composed {
    throw new Error("");
  }
}
