// A regular expression typed by the user: usable, or with a reason why not.

export interface Pattern {
  readonly matches: (text: string) => boolean;
  /** Why the text is not a pattern; "" if it is one. */
  readonly error: string;
}

/** Ignores case; an empty pattern matches everything. So does an invalid one: nothing vanishes while the user types. */
export function compilePattern(source: string): Pattern {
  if (source.trim() === "") return { matches: () => true, error: "" };
  try {
    const regex = new RegExp(source, "iu");
    return { matches: (text) => regex.test(text), error: "" };
  } catch (unicodeError) {
    try {
      // Without the u flag harmless escapes such as \- and \_ are allowed.
      const regex = new RegExp(source, "i");
      return { matches: (text) => regex.test(text), error: "" };
    } catch {
      const reason = String((unicodeError as Error).message).replace(
        /^Invalid regular expression: (\/.*\/\w*: )?/su,
        "",
      );
      return {
        matches: () => true,
        error: `Not a regular expression: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}`,
      };
    }
  }
}

/** A pattern that matches only this text. */
export function exactly(text: string): string {
  return `^${text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$`;
}
