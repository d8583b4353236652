// Position and playback of a card's clip. Another clip in the same card continues at the same position. Created in a
// component and ends with it.

import { untrack } from "svelte";
import { type PlayOptions, player } from "./player.svelte";
import { durationOf, type Sound } from "./sound";

export class CardSound {
  placeS = $state(0);
  readonly isPlaying = $derived.by(() => player.owner === this.id());
  readonly durationS = $derived.by(() => {
    const sound = this.sound();
    return sound ? durationOf(sound) : 0;
  });

  constructor(
    private readonly id: () => string,
    private readonly sound: () => Sound | null,
    private readonly options: () => PlayOptions,
  ) {
    const channel = $derived(options().channel);
    // Outside: playback follows the clip and channel that are shown.
    $effect(() => {
      const now = sound();
      void channel;
      untrack(() => this.#goOn(now));
    });
    $effect(() => {
      const { gain, isLooping } = options();
      if (this.isPlaying) player.adjust({ gain, isLooping });
    });
    // Outside: the clock, while it plays.
    let wasPlaying = false;
    $effect(() => {
      if (!this.isPlaying) {
        // Stopped or at its end, and not because another card plays.
        if (wasPlaying && untrack(() => player.owner) === null) this.placeS = player.placeS;
        wasPlaying = false;
        return;
      }
      wasPlaying = true;
      let frame = 0;
      const follow = (): void => {
        this.placeS = player.placeS;
        frame = requestAnimationFrame(follow);
      };
      frame = requestAnimationFrame(follow);
      return () => cancelAnimationFrame(frame);
    });
    $effect(() => {
      const mine = id();
      return () => {
        if (untrack(() => player.owner) === mine) player.stop();
      };
    });
  }

  toggle(): void {
    if (this.isPlaying) player.stop();
    else this.#play(this.placeS < this.durationS ? this.placeS : 0);
  }

  seek(toS: number): void {
    this.placeS = Math.min(Math.max(toS, 0), this.durationS);
    if (this.isPlaying) this.#play(this.placeS);
  }

  #play(fromS: number): void {
    const sound = this.sound();
    if (sound) player.play(this.id(), sound, fromS, this.options());
  }

  #goOn(sound: Sound | null): void {
    if (this.isPlaying) this.placeS = player.placeS;
    if (sound && this.placeS >= durationOf(sound)) this.placeS = 0;
    if (!this.isPlaying) return;
    if (sound) this.#play(this.placeS);
    else player.stop();
  }
}
