// Which tags a pattern of a layout means. Patterns are Python's and come from logs, so one may take for ever: it is run
// in a worker that is ended when it does. This file is what is run; see matcher.ts.

export interface Match {
  readonly tags: readonly string[];
  /** Why the pattern cannot be used; "" when it can. */
  readonly error: string;
}

/**
 * Python's regular expressions as the browser's, as far as they differ in what people write. Throws for what is none.
 */
export function compilePython(pattern: string): RegExp {
  let flags = "";
  const source = pattern
    .replace(/^\(\?([aiLmsux]+)\)/, (_, given: string) => {
      flags = [...given].filter((flag) => "ims".includes(flag)).join("");
      return "";
    })
    .replace(/\(\?P</g, "(?<")
    .replace(/\(\?P=(\w+)\)/g, "\\k<$1>")
    .replace(/\\A/g, "^")
    .replace(/\\Z/g, "$");
  // Sticky: it must match from the start, and need not reach the end.
  return new RegExp(source, `${flags}y`);
}

export function matchTags(pattern: string, tags: readonly string[]): Match {
  let regex: RegExp;
  try {
    regex = compilePython(pattern);
  } catch (cause) {
    const reason = String((cause as Error).message).replace(/^Invalid regular expression: (\/.*\/\w*: )?/su, "");
    return {
      tags: [],
      error: `“${pattern}” is no regular expression: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}`,
    };
  }
  return {
    tags: tags.filter((tag) => {
      regex.lastIndex = 0;
      return regex.test(tag);
    }),
    error: "",
  };
}
