// The place in a card's clip, and whether it is heard. Another clip in the same card goes on from the same place. Made
// in a component; ends with it.

import { untrack } from "svelte";
import { type Hearing, player } from "./player.svelte";
import { durationOf, type Sound } from "./sound";

export class CardSound {
  /** In seconds. */
  placeS = $state(0);
  readonly isPlaying = $derived.by(() => player.owner === this.id());
  readonly durationS = $derived.by(() => {
    const sound = this.sound();
    return sound ? durationOf(sound) : 0;
  });

  constructor(
    private readonly id: () => string,
    private readonly sound: () => Sound | null,
    private readonly hearing: () => Hearing,
  ) {
    const ear = $derived(hearing().ear);
    // Outside: what is heard follows what is shown.
    $effect(() => {
      const now = sound();
      void ear;
      untrack(() => this.#goOn(now));
    });
    $effect(() => {
      const { gain, isLooping } = hearing();
      if (this.isPlaying) player.adjust({ gain, isLooping });
    });
    // Outside: the clock, while it plays.
    let wasPlaying = false;
    $effect(() => {
      if (!this.isPlaying) {
        // Stopped or at its end, and not because another card is heard now.
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
    if (sound) player.play(this.id(), sound, fromS, this.hearing());
  }

  #goOn(sound: Sound | null): void {
    if (this.isPlaying) this.placeS = player.placeS;
    if (sound && this.placeS >= durationOf(sound)) this.placeS = 0;
    if (!this.isPlaying) return;
    if (sound) this.#play(this.placeS);
    else player.stop();
  }
}
