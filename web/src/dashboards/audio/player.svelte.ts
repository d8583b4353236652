// Plays one clip at a time for the whole page. Knows only the id of the card that started it.

import { clampRate, durationOf, type ChannelChoice, mixDown, type Sound } from "./sound";

export interface PlayOptions {
  readonly channel: ChannelChoice;
  readonly gain: number;
  readonly isLooping: boolean;
}

class Player {
  /** The card whose clip plays. */
  owner = $state.raw<string | null>(null);

  #context: AudioContext | null = null;
  #volume: GainNode | null = null;
  #source: AudioBufferSourceNode | null = null;
  /** The context's clock and the position in the clip, both at the start of playback. */
  #startedS = 0;
  #fromS = 0;
  #durationS = 0;
  /** The last clip: seeking in it copies nothing. */
  #loaded: { readonly sound: Sound; readonly channel: ChannelChoice; readonly buffer: AudioBuffer } | null = null;

  /** Position in the clip. */
  get placeS(): number {
    if (!this.#context || !this.#source) return this.#fromS;
    const place = this.#fromS + this.#context.currentTime - this.#startedS;
    return this.#source.loop ? place % this.#durationS : Math.min(place, this.#durationS);
  }

  /** Stops the clip that plays. */
  play(owner: string, sound: Sound, fromS: number, { channel, gain, isLooping }: PlayOptions): void {
    this.#stopSource();
    const context = (this.#context ??= new AudioContext());
    this.#volume ??= connect(context.createGain(), context.destination);
    this.#volume.gain.value = gain;
    const buffer = this.#load(context, sound, channel);
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
    // Browsers allow sound only after the user has interacted with the page.
    void context.resume();
    this.#source = source;
    this.#startedS = context.currentTime;
    this.#fromS = fromS;
    this.#durationS = durationOf(sound);
    this.owner = owner;
  }

  /** Without interrupting playback. */
  adjust({ gain, isLooping }: Pick<PlayOptions, "gain" | "isLooping">): void {
    if (this.#volume) this.#volume.gain.value = gain;
    const source = this.#source;
    if (!source || !this.#context || source.loop === isLooping) return;
    this.#fromS = this.placeS;
    this.#startedS = this.#context.currentTime;
    source.loop = isLooping;
  }

  stop(): void {
    this.#fromS = this.placeS;
    this.#stopSource();
    this.owner = null;
  }

  #load(context: AudioContext, sound: Sound, channel: ChannelChoice): AudioBuffer {
    if (this.#loaded?.sound === sound && this.#loaded.channel === channel) return this.#loaded.buffer;
    const channels = mixDown(sound.channels, channel);
    const buffer = context.createBuffer(channels.length, channels[0]?.length ?? 0, clampRate(sound.sampleRate));
    channels.forEach((pcm, i) => buffer.copyToChannel(pcm as Float32Array<ArrayBuffer>, i));
    this.#loaded = { sound, channel, buffer };
    return buffer;
  }

  #stopSource(): void {
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
