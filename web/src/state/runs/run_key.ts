// A run's short key: 30 bits of a hash of its name, in five URL-safe characters. Selections and colours use it, so that
// neither depends on which other runs there are.

export type RunKey = string & { readonly __brand: "RunKey" };

export const KEY_LENGTH = 5;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** FNV-1a over the UTF-16 code units, with a final mix so that names that differ in one digit get distant hashes. */
export function hashName(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

export function runKey(name: string): RunKey {
  let bits = hashName(name);
  let key = "";
  for (let i = 0; i < KEY_LENGTH; i++) {
    key += ALPHABET[bits & 63];
    bits >>>= 6;
  }
  return key as RunKey;
}
