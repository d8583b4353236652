// Names of events, shortened until they fit: what tells a reader most comes last to go.

const MAX_KNOWN = 5_000;
const known = new Map<string, readonly string[]>();

/** The name and shorter forms of it, each shorter than the one before. */
export function shorterNames(name: string): readonly string[] {
  let forms = known.get(name);
  if (!forms) {
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(name, (forms = make(name)));
  }
  return forms;
}

function make(name: string): readonly string[] {
  const forms = [name];
  const add = (form: string): void => {
    const text = form.trim();
    if (text.length > 0 && text.length < (forms.at(-1) as string).length) forms.push(text);
  };
  // A Python frame: "torch/nn/modules/module.py(1501): _call_impl".
  const frame = /^(?:.*[/\\])?([^/\\()]+\.py)\(\d+\): (.+)$/.exec(name);
  if (frame) {
    add(`${frame[1]}: ${frame[2]}`);
    add(frame[2] as string);
    return forms;
  }
  // "ProfilerStep#12".
  const step = /^ProfilerStep#(\d+)$/.exec(name);
  if (step) {
    add(`Step ${step[1]}`);
    return forms;
  }
  // "<built-in method conv2d of type object at 0x7f…>".
  const builtin = /^<built-in (?:method|function) (\S+?)(?: of .*)?>$/.exec(name);
  if (builtin) {
    add(builtin[1] as string);
    return forms;
  }
  // "autograd::engine::evaluate_function: ConvolutionBackward0", "nn.Module: Conv2d_0".
  const colon = name.lastIndexOf(": ");
  if (colon > 0) add(name.slice(colon + 2));
  // A function of C++: "void at::native::kernel<4, at::Foo<float> >(int, float)".
  const whole = forms.at(-1) as string;
  if (whole.includes("<") || whole.includes("::")) {
    const plain = withoutBrackets(whole.replace(/^void /, ""));
    // "<string>:5" is no function: a place in code that has no file.
    if (!/^\w/.test(plain)) return forms;
    add(plain);
    if (plain.includes("::")) add(plain.slice(plain.lastIndexOf("::") + 2));
    // "cutlass::Kernel2<cutlass_80_tensorop_s1688gemm>": what it is stands in the brackets.
    const inside = /\bKernel\d?<(?:\w+::)*(\w+)/.exec(whole)?.[1];
    if (inside !== undefined && /^Kernel\d?$/.test(forms.at(-1) as string)) forms[forms.length - 1] = inside;
    return forms;
  }
  // "Optimizer.step#AdamW.step".
  const hash = whole.indexOf("#");
  if (hash > 0 && /[A-Za-z]/.test(whole.slice(hash + 1))) add(whole.slice(hash + 1));
  // A path of scopes: "jit(step)/transpose(jvp(Model))/dense/dot_general".
  const last = forms.at(-1) as string;
  const slash = last.lastIndexOf("/");
  if (slash > 0 && slash < last.length - 1) add(last.slice(slash + 1));
  return forms;
}

/** Without template arguments and parameters. */
function withoutBrackets(text: string): string {
  let [kept, depth] = ["", 0];
  for (const letter of text) {
    if (letter === "<" || letter === "(") depth++;
    else if (letter === ">" || letter === ")") depth = Math.max(0, depth - 1);
    else if (depth === 0) kept += letter;
  }
  return kept.replaceAll(/::+/g, "::").replace(/::$/, "");
}

/** The longest form that fits, else the shortest one cut off; "": not even a few letters fit. */
export function fitName(name: string, widthPx: number, measure: (text: string) => number, leastPx = 20): string {
  const forms = shorterNames(name);
  for (const form of forms) if (measure(form) <= widthPx) return form;
  if (widthPx < leastPx) return "";
  const form = forms.at(-1) as string;
  const letters = Math.floor((widthPx / measure(form)) * form.length);
  for (let length = letters; length >= 2; length--) {
    const text = `${form.slice(0, length)}…`;
    if (measure(text) <= widthPx) return text;
  }
  return "";
}
