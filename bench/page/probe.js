// Runs inside both pages from before their first script, and looks at them as a user does: at pixels of charts and pictures and
// at the text of the run table. Knows of the two pages only the selectors that it is given. A page may say where looking is
// worth while (`drawnCard`, `settled`); what it says is never taken for a result.

(({ card, canvas, table, tip, drawnCard, settled, restFactor, isDeep, isRowTimed }) => {
  const LINE_PIXELS = 20; // of those looked at that must be painted before a canvas counts as showing lines
  const SHRINK = 3; // every third pixel of every third row is looked at
  const VISIBLE_SHARE = 0.2; // of a card's height that must be in view before the card counts: less shows no chart, only its title
  const STILL_FRAMES = 10; // a blocked page must not look like a still one
  const CALM_REST_FACTOR = 3; // after a look that may well have been the last
  const ROW_PX = 8; // cards whose tops differ by less stand in one row
  const STAMP_BITS = 16; // squares across the top of a stamped picture, a sixteenth of its height

  // Taken before the page's scripts can wrap them: a framework that runs its whole cycle after every wrapped callback
  // would be charged for our looking.
  const inNextFrame = requestAnimationFrame.bind(globalThis);
  const listen = addEventListener.bind(globalThis);
  const after = setTimeout.bind(globalThis);
  const Promised = Promise;
  const Channel = MessageChannel;

  const tasks = [];
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) tasks.push({ startMs: startTime, endMs: startTime + duration });
  }).observe({ type: "longtask", buffered: true });

  const scratch = new OffscreenCanvas(1, 1);
  const context = scratch.getContext("2d", { willReadFrequently: true });
  const own = []; // when this script was at work itself

  /** Elements of the page and of the components in it that keep their own to themselves. */
  function all(selector, root = document) {
    const found = [...root.querySelectorAll(selector)];
    if (isDeep) for (const each of root.querySelectorAll("*")) if (each.shadowRoot) found.push(...all(selector, each.shadowRoot));
    return found;
  }

  /** A hash of what a drawing in SVG says, which cannot be read as pixels; null while there is none. */
  function lookAtPaths(drawing) {
    let hash = 0;
    for (const path of drawing.querySelectorAll("path")) {
      const data = path.getAttribute("d") ?? "";
      for (let i = 0; i < data.length; i += SHRINK) hash = Math.imul(hash ^ data.charCodeAt(i) ^ i, 0x01000193);
    }
    return hash === 0 ? null : hash;
  }

  /** Painted pixels and a hash of what a canvas or a picture shows; null while it shows nothing. */
  function look(element) {
    if (element instanceof SVGElement) return lookAtPaths(element);
    if (element instanceof HTMLImageElement && !(element.complete && element.naturalWidth > 0)) return null;
    const width = Math.floor(element.width / SHRINK);
    const height = Math.floor(element.height / SHRINK);
    if (!width || !height) return null;
    if (scratch.width !== width || scratch.height !== height) Object.assign(scratch, { width, height });
    else context.clearRect(0, 0, width, height);
    context.imageSmoothingEnabled = false;
    context.drawImage(element, 0, 0, width, height);
    const pixels = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
    let hash = 0;
    let painted = 0;
    for (let i = 0; i < pixels.length; i++) {
      if (pixels[i] === 0) continue;
      painted++;
      hash = Math.imul(hash ^ pixels[i] ^ i, 0x01000193);
    }
    return painted >= LINE_PIXELS ? hash : null;
  }

  /** What cuts an element off: the nearest ancestor that scrolls. */
  function clipOf(element) {
    let around = element.parentElement;
    while (around && !/auto|scroll/.test(getComputedStyle(around).overflowY)) around = around.parentElement;
    return (around ?? document.documentElement).getBoundingClientRect();
  }

  const isInView = (element) => {
    const at = element.getBoundingClientRect();
    const clip = clipOf(element);
    const seenPx = Math.min(at.bottom, clip.bottom, innerHeight) - Math.max(at.top, clip.top, 0);
    const isShown = element.checkVisibility({ visibilityProperty: true });
    return isShown && at.height > 0 && seenPx >= VISIBLE_SHARE * at.height && at.right > 0 && at.left < innerWidth;
  };
  const cardsInView = () => all(card).filter(isInView);
  const canvasOf = (each) => each.querySelector(canvas) ?? (each.shadowRoot ? all(canvas, each.shadowRoot)[0] : undefined);
  /** Those that stand beside the first. */
  const firstRow = (cards) => {
    const tops = cards.map((each) => each.getBoundingClientRect().top);
    return cards.filter((_, i) => tops[i] - Math.min(...tops) < ROW_PX);
  };

  /** Calls `check` in frames until it returns something, with the frame's start: what it sees was there by then. */
  const eachFrame = (check, timeoutMs, what, restFactorNow = () => restFactor) =>
    new Promised((done, fail) => {
      const timeoutAtMs = performance.now() + timeoutMs;
      let restUntilMs = 0;
      const frame = () => {
        const startMs = performance.now();
        if (startMs >= restUntilMs) {
          const found = check(startMs);
          const endMs = performance.now();
          own.push({ startMs, endMs });
          restUntilMs = endMs + restFactorNow() * (endMs - startMs);
          if (found !== undefined) return done(found);
        }
        if (startMs > timeoutAtMs) fail(new Error(`${what}: not within ${timeoutMs} ms`));
        else inNextFrame(frame);
      };
      inNextFrame(frame);
    });

  /** From navigation start: the first chart or picture, the first row of them, and the last one in view. */
  function loaded(timeoutMs, stillMs) {
    let firstMs = 0;
    let rowMs = 0;
    let allMs = 0;
    const drawn = new WeakSet();
    return eachFrame((nowMs) => {
      // Asking where elements are makes the page lay itself out, so it is asked only once there may be something to see.
      const isWorthwhile = (isRowTimed ? rowMs : firstMs) ? document.querySelector(settled) : all(`:is(${card})${drawnCard}`).length > 0;
      if (!isWorthwhile) return undefined;
      const cards = cardsInView();
      let isAll = cards.length > 0;
      for (const each of cards) {
        const element = canvasOf(each);
        if (element && !drawn.has(element) && each.matches(drawnCard) && look(element) !== null) drawn.add(element);
        if (element && drawn.has(element)) firstMs ||= nowMs;
        else isAll = false;
      }
      const row = firstRow(cards).map(canvasOf);
      if (!row.length || !row.every((element) => element && drawn.has(element))) rowMs = 0;
      else rowMs ||= nowMs;
      if (!isAll) allMs = 0;
      else allMs ||= nowMs;
      return allMs && nowMs - allMs > stillMs ? { firstMs, rowMs, allMs, charts: cards.length, row: row.length } : undefined;
    }, timeoutMs, "all visible charts");
  }

  const textHash = () => {
    const text = document.querySelector(table)?.textContent ?? "";
    let hash = text.length;
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    return hash;
  };

  /** From the next `event` to the last change that can be seen: of some of the charts in view, and of the table. */
  function changed(event, { charts = [0], withTable = false, stillMs, timeoutMs }) {
    const watched = cardsInView().slice(...charts).map(canvasOf).filter(Boolean);
    const looks = () => watched.map(look);
    const before = looks();
    let last = before;
    let lastText = withTable ? textHash() : 0;
    let fromMs = 0;
    let chartsMs = 0;
    let tableMs = 0;
    let stillFrames = 0;
    let isAllChanged = false;
    listen(event, (heard) => (fromMs ||= heard.timeStamp), { capture: true, once: true });
    return eachFrame((nowMs) => {
      if (!fromMs || !document.querySelector(settled)) return undefined;
      const seen = looks();
      const text = withTable ? textHash() : 0;
      stillFrames++;
      if (seen.some((hash, i) => hash !== last[i])) [chartsMs, stillFrames] = [nowMs, 0];
      if (text !== lastText) [tableMs, stillFrames] = [nowMs, 0];
      [last, lastText] = [seen, text];
      isAllChanged = seen.every((hash, i) => hash !== before[i]) && (!withTable || tableMs > 0);
      const endMs = Math.max(chartsMs, tableMs);
      if (!chartsMs || (withTable && !tableMs) || stillFrames < STILL_FRAMES || nowMs - endMs < stillMs) return undefined;
      const same = seen.filter((hash, i) => hash === before[i]).length;
      return { tookMs: endMs - fromMs, tableMs: tableMs && tableMs - fromMs, same, charts: watched.length };
    }, timeoutMs, `what follows ${event}`, () => (isAllChanged ? Math.max(CALM_REST_FACTOR, restFactor) : restFactor));
  }

  /** From the next move of the pointer to the paint after the tooltip says something else. */
  const hovered = (timeoutMs) =>
    new Promised((done, fail) => {
      const text = () => document.querySelector(tip)?.textContent ?? "";
      const before = text();
      after(() => fail(new Error("the tooltip did not change")), timeoutMs);
      listen("pointermove", ({ timeStamp }) => {
        const channel = new Channel();
        // A message posted in a frame's callback comes in after that frame has been laid out and painted.
        channel.port1.onmessage = () => {
          if (text() === before) return inNextFrame(() => channel.port2.postMessage(0));
          done(performance.now() - timeStamp);
        };
        inNextFrame(() => channel.port2.postMessage(0));
      }, { capture: true, once: true });
    });

  /** The number on a stamped picture (see bench/stamped.py), as it is on screen. */
  function stampOf(element) {
    const { width, height } = element;
    if (!width || !height) return null;
    if (scratch.width !== STAMP_BITS || scratch.height !== 1) Object.assign(scratch, { width: STAMP_BITS, height: 1 });
    context.imageSmoothingEnabled = false;
    context.drawImage(element, 0, Math.floor(height / STAMP_BITS / 2), width, 1, 0, 0, STAMP_BITS, 1);
    const { data } = context.getImageData(0, 0, STAMP_BITS, 1);
    let number = 0;
    for (let bit = 0; bit < STAMP_BITS; bit++) number = number * 2 + (data[4 * bit] > 127 ? 1 : 0);
    return number;
  }

  /** Counts, frame by frame, how often the picture of each card in view is another one; `stop` gives the counts. */
  function countPictures() {
    const cards = cardsInView();
    const last = cards.map((each) => stampOf(canvasOf(each)));
    const counts = cards.map(() => 0);
    let changedMs = 0;
    let isStopped = false;
    const frame = (startMs) => {
      if (isStopped) return;
      cards.forEach((each, i) => {
        const element = canvasOf(each);
        const stamp = element ? stampOf(element) : null;
        if (stamp === null || stamp === last[i]) return;
        last[i] = stamp;
        counts[i]++;
        changedMs = startMs;
      });
      inNextFrame(frame);
    };
    inNextFrame(frame);
    /** Until the first card shows a picture with this step in the low bits of its number. */
    const reached = (step, stepBits, timeoutMs) => eachFrame(() => (last[0] % 2 ** stepBits === step ? true : undefined), timeoutMs, `step ${step}`);
    return { reached, stop: () => ((isStopped = true), { counts, changedMs }) };
  }

  const ownMs = (fromMs, toMs) =>
    own.reduce((sum, work) => sum + Math.max(0, Math.min(work.endMs, toMs) - Math.max(work.startMs, fromMs)), 0);
  /** The longest task since, without this script's own share in it. */
  const longest = (fromMs) =>
    tasks.filter(({ startMs }) => startMs >= fromMs).reduce((most, { startMs, endMs }) => Math.max(most, endMs - startMs - ownMs(startMs, endMs)), 0);

  performance.setResourceTimingBufferSize(10_000);
  /** What came over the wire, headers included. Asking the browser's inspector would cost a page time with every request. */
  const traffic = () =>
    ["navigation", "resource"].flatMap((type) => performance.getEntriesByType(type)).map(({ name, transferSize }) => {
      const { pathname } = new URL(name);
      return { path: pathname, bytes: transferSize, isScript: pathname.endsWith(".js") };
    });

  globalThis.bench = { inNextFrame, loaded, changed, hovered, longest, traffic, tasks, ownMs, cardsInView, canvasOf, countPictures };
})
