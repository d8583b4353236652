// What makes sound: one clip at a time for the whole page, from any place in it. Knows no cards, only who started it.

import { clampRate, durationOf, type Ear, mixDown, type Sound } from "./sound";

export interface Hearing {
  readonly ear: Ear;
  /** What samples are multiplied with. */
  readonly gain: number;
  readonly isLooping: boolean;
}

class Player {
  /** Whose clip is heard; null while there is silence. */
  owner = $state.raw<string | null>(null);

  #context: AudioContext | null = null;
  #volume: GainNode | null = null;
  #source: AudioBufferSourceNode | null = null;
  /** The context's clock and the place in the clip, both when it began. */
  #startedS = 0;
  #fromS = 0;
  #durationS = 0;
  /** What was heard last: going elsewhere in it copies nothing. */
  #loaded: { readonly sound: Sound; readonly ear: Ear; readonly buffer: AudioBuffer } | null = null;

  /** Where in the clip we are, in seconds. */
  get placeS(): number {
    if (!this.#context || !this.#source) return this.#fromS;
    const place = this.#fromS + this.#context.currentTime - this.#startedS;
    return this.#source.loop ? place % this.#durationS : Math.min(place, this.#durationS);
  }

  /** From this place on; what was heard before ends. */
  play(owner: string, sound: Sound, fromS: number, { ear, gain, isLooping }: Hearing): void {
    this.#silence();
    const context = (this.#context ??= new AudioContext());
    this.#volume ??= connect(context.createGain(), context.destination);
    this.#volume.gain.value = gain;
    const buffer = this.#load(context, sound, ear);
    const speed = sound.sampleRate / buffer.sampleRate;
    const source = new AudioBufferSourceNode(context, { buffer, loop: isLooping, playbackRate: speed });
    source.connect(this.#volume);
    source.onended = () => {
      if (this.#source !== source) return;
      this.#fromS = 0;
      this.#source = null;
      this.owner = null;
    };
    source.start(0, fromS * speed);
    // A page may make sound only once the user has done something.
    void context.resume();
    this.#source = source;
    this.#startedS = context.currentTime;
    this.#fromS = fromS;
    this.#durationS = durationOf(sound);
    this.owner = owner;
  }

  /** Without a break. */
  adjust({ gain, isLooping }: Pick<Hearing, "gain" | "isLooping">): void {
    if (this.#volume) this.#volume.gain.value = gain;
    const source = this.#source;
    if (!source || !this.#context || source.loop === isLooping) return;
    this.#fromS = this.placeS;
    this.#startedS = this.#context.currentTime;
    source.loop = isLooping;
  }

  stop(): void {
    this.#fromS = this.placeS;
    this.#silence();
    this.owner = null;
  }

  #load(context: AudioContext, sound: Sound, ear: Ear): AudioBuffer {
    if (this.#loaded?.sound === sound && this.#loaded.ear === ear) return this.#loaded.buffer;
    const channels = mixDown(sound.channels, ear);
    const buffer = context.createBuffer(channels.length, channels[0]?.length ?? 0, clampRate(sound.sampleRate));
    channels.forEach((channel, i) => buffer.copyToChannel(channel as Float32Array<ArrayBuffer>, i));
    this.#loaded = { sound, ear, buffer };
    return buffer;
  }

  #silence(): void {
    const source = this.#source;
    this.#source = null;
    source?.stop();
    source?.disconnect();
  }
}

function connect(node: GainNode, to: AudioNode): GainNode {
  node.connect(to);
  return node;
}

export const player = new Player();
