// Finds the tags that match a layout's pattern. Patterns are Python regular expressions from logs, and matching one may
// never finish. This code therefore runs in a worker, which matcher.ts terminates if it takes too long.

export interface Match {
  readonly tags: readonly string[];
  /** Why the pattern is unusable, or "" if it is usable. */
  readonly error: string;
}

/**
 * Converts a Python regular expression to JavaScript, for the differences that occur in practice. Throws if it is
 * invalid.
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
  // Sticky: must match from the start, but need not reach the end.
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
      error: `“${pattern}” is not a regular expression: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}`,
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
