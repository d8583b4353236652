// Whether this page is visible: its tab is in front and, in a notebook, its frame is not scrolled away. Knows nothing
// of what is shown.

/** Calls back now and on every change; returns the function that stops it. */
export function watchVisibility(changed: (isVisible: boolean) => void): () => void {
  let isOnScreen = true;
  const tell = (): void => changed(!document.hidden && isOnScreen);
  // Without a root of its own, the observer looks through all frames around this one, also of other origins.
  const observer =
    window.top === window
      ? null
      : new IntersectionObserver((entries) => {
          isOnScreen = entries.at(-1)?.isIntersecting ?? true;
          tell();
        });
  observer?.observe(document.documentElement);
  document.addEventListener("visibilitychange", tell);
  tell();
  return () => {
    observer?.disconnect();
    document.removeEventListener("visibilitychange", tell);
  };
}
