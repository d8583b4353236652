// In the page before its first script: notes when moments come, looking once a frame, and how well frames follow the pointer.
(momentsOf, patienceMs) => {
  const all = (selector, root = document) => [
    ...root.querySelectorAll(selector),
    ...[...root.querySelectorAll("*")].flatMap((each) => {
      // TensorBoard has some dashboards in frames of their own.
      const inside = each.shadowRoot ?? each.contentDocument;
      return inside ? all(selector, inside) : [];
    }),
  ];
  const hasPixels = (canvas) => {
    const copy = new OffscreenCanvas(Math.max(1, canvas.width), Math.max(1, canvas.height));
    const context = copy.getContext("2d");
    if (canvas.width > 0 && canvas.height > 0) context.drawImage(canvas, 0, 0);
    return context.getImageData(0, 0, copy.width, copy.height).data.some((value, i) => i % 4 === 3 && value > 0);
  };
  /** The first large canvas has something on it. */
  const isPainted = (selector) => {
    const canvas = all(selector).find(({ width }) => width > 300);
    return canvas !== undefined && hasPixels(canvas);
  };
  /** At least so many canvases, and something on each. */
  const arePainted = (selector, least) => {
    const found = all(selector);
    return found.length >= least && found.every(hasPixels);
  };
  /** A fifth of it, as for charts: less shows no more than a title. */
  const isInView = (element) => {
    const at = element.getBoundingClientRect();
    const seenPx = Math.min(at.bottom, innerHeight) - Math.max(at.top, 0);
    return seenPx >= at.height / 5 && at.width > 0 && element.checkVisibility({ visibilityProperty: true });
  };
  /** Every card in view says that it is there, and has something on one of its canvases where it has any. */
  const areDrawn = (selector) => {
    if (document.documentElement.dataset.ready !== "true") return false;
    const cards = all(selector).filter(isInView);
    const isDrawn = (card) => {
      const canvases = [...card.querySelectorAll("canvas")];
      return card.dataset.ready === "true" && (canvases.length === 0 || canvases.some(hasPixels));
    };
    return cards.length > 0 && cards.every(isDrawn);
  };
  /** When each moment came, in milliseconds since navigation; rejects when they have not all come in time. */
  const watch = (tests, patienceMs) =>
    new Promise((done, fail) => {
      const found = {};
      const seen = new Set();
      const look = (at) => {
        // What was seen in the last frame has been painted.
        for (const name of seen) found[name] ??= at;
        for (const [name, test] of tests) if (!seen.has(name) && test()) seen.add(name);
        const missing = tests.filter(([name]) => !(name in found)).map(([name]) => name);
        if (missing.length === 0) done(found);
        else if (at > patienceMs) fail(new Error(`did not come: ${missing.join(", ")}`));
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });

  // From the first frame on, whenever somebody asks.
  const loading = watch(Object.entries(momentsOf({ all, isPainted, arePainted, areDrawn })), patienceMs);
  loading.catch(() => undefined);

  /** Times from each pointer event of this kind to the message after its frame. */
  const follow = (kind) => {
    const took = [];
    addEventListener(
      kind,
      ({ timeStamp }) =>
        requestAnimationFrame(() => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => took.push(performance.now() - timeStamp);
          port2.postMessage(null);
        }),
      true,
    );
    return took;
  };

  const hashOf = (canvas) => {
    const copy = new OffscreenCanvas(canvas.width, canvas.height);
    const context = copy.getContext("2d");
    context.drawImage(canvas, 0, 0);
    let hash = 0;
    for (const value of new Uint32Array(context.getImageData(0, 0, copy.width, copy.height).data.buffer))
      hash = (Math.imul(hash, 31) + value) | 0;
    return hash;
  };

  /** Time from the next event of this kind to the frame after the one that looks different; null: none did. */
  const lookAfter = (kind, patienceMs, isDifferent) =>
    new Promise((done) =>
      addEventListener(
        kind,
        ({ timeStamp }) => {
          let isSeen = false;
          const look = (at) => {
            if (isSeen) done(at - timeStamp);
            else if (at - timeStamp > patienceMs) done(null);
            else {
              isSeen = isDifferent();
              requestAnimationFrame(look);
            }
          };
          requestAnimationFrame(look);
        },
        { once: true, capture: true },
      ),
    );

  /** A canvas has another picture. */
  const changed = (kind, selector, patienceMs) => {
    const [canvas] = all(selector);
    const before = hashOf(canvas);
    return lookAfter(kind, patienceMs, () => hashOf(canvas) !== before);
  };

  /** There is an element for another row. */
  const appears = (kind, selector, patienceMs) => {
    const rowOf = () => all(selector)[0]?.dataset.row;
    const before = rowOf();
    return lookAfter(kind, patienceMs, () => {
      const row = rowOf();
      return row !== undefined && row !== before;
    });
  };

  /** An element has another text. */
  const rewritten = (kind, selector, patienceMs) => {
    const [element] = all(selector);
    const before = element.textContent;
    return lookAfter(kind, patienceMs, () => element.textContent !== before);
  };

  /** Time from the next event of this kind to the frame in which the element is ready again; null: it is not in time. */
  const settles = (kind, selector, patienceMs) =>
    new Promise((done) =>
      addEventListener(
        kind,
        ({ timeStamp }) => {
          let frames = 0;
          let wasBusy = false;
          const look = (at) => {
            const isReady = all(selector)[0]?.dataset.ready === "true";
            wasBusy ||= !isReady;
            frames++;
            // What can be drawn from answers that are there is never seen busy.
            if (isReady && (wasBusy || frames > 2)) done(at - timeStamp);
            else if (at - timeStamp > patienceMs) done(null);
            else requestAnimationFrame(look);
          };
          requestAnimationFrame(look);
        },
        { once: true, capture: true },
      ),
    );

  /** Frames between now and the call of what it returns. */
  const countFrames = () => {
    let frames = 0;
    let isOver = false;
    const from = performance.now();
    const next = () => {
      frames++;
      if (!isOver) requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
    return () => {
      isOver = true;
      return (1000 * frames) / (performance.now() - from);
    };
  };
  /** Frames that clear the last canvas and draw anew, between now and the call of what it returns. */
  const countDrawn = (selector) => {
    const context = all(selector).at(-1).getContext("2d");
    let frames = 0;
    const from = performance.now();
    context.clearRect = function (...box) {
      frames++;
      return CanvasRenderingContext2D.prototype.clearRect.apply(this, box);
    };
    return () => {
      delete context.clearRect;
      return (1000 * frames) / (performance.now() - from);
    };
  };
  window.boards = { all, isInView, isPainted, loading, appears, changed, settles, rewritten, follow, countDrawn, countFrames };
};
