// Solves challenges of ALTCHA: finds the number whose key by PBKDF2 begins as the challenge says.
const bytesOf = (hex) => Uint8Array.from(hex.match(/../g), (pair) => Number.parseInt(pair, 16));
const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const later = () => new Promise((resolve) => setTimeout(resolve));
const SLICE = 12; // milliseconds of work before the page may do its own

// Fast, and off the page's thread; browsers have it on https only.
const native = async (password, salt, iterations) => {
  const key = await crypto.subtle.importKey("raw", password, "PBKDF2", false, ["deriveBits"]);
  const bits = await crypto.subtle.deriveBits({ name: "PBKDF2", hash: "SHA-256", salt, iterations }, key, 256);
  return new Uint8Array(bits);
};

const PRIMES = [];
for (let number = 2; PRIMES.length < 64; number += 1) {
  if (PRIMES.every((prime) => number % prime)) PRIMES.push(number);
}
const fraction = (number) => ((number - Math.floor(number)) * 2 ** 32) | 0;
const ROUNDS = Int32Array.from(PRIMES, (prime) => fraction(Math.cbrt(prime)));
const START = Int32Array.from(PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
const words = new Int32Array(64);

// SHA-256 of one block of 16 words, in place; the state is of 8 words.
const compress = (state, block) => {
  words.set(block);
  for (let i = 16; i < 64; i += 1) {
    const x = words[i - 15];
    const y = words[i - 2];
    const low = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const high = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    words[i] = words[i - 16] + low + words[i - 7] + high;
  }
  // By number: reading them as a list would take half of the time.
  let a = state[0];
  let b = state[1];
  let c = state[2];
  let d = state[3];
  let e = state[4];
  let f = state[5];
  let g = state[6];
  let h = state[7];
  for (let i = 0; i < 64; i += 1) {
    const high = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const low = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const first = (h + high + ((e & f) ^ (~e & g)) + ROUNDS[i] + words[i]) | 0;
    const second = (low + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
};

// The block of a text of at most 55 bytes that follows a block of 64.
const blockOf = (bytes) => {
  const view = new DataView(new ArrayBuffer(64));
  bytes.forEach((byte, place) => { view.setUint8(place, byte); });
  view.setUint8(bytes.length, 0x80);
  view.setUint32(60, (64 + bytes.length) * 8);
  return Int32Array.from({ length: 16 }, (_, place) => view.getInt32(place * 4));
};

// PBKDF2 with HMAC of SHA-256, for passwords and salts of at most 51 bytes.
const plain = (password, salt, iterations) => {
  const padded = (mark) => {
    const bytes = new Uint8Array(64).fill(mark);
    password.forEach((byte, place) => { bytes[place] ^= byte; });
    const view = new DataView(bytes.buffer);
    const state = START.slice();
    compress(state, Int32Array.from({ length: 16 }, (_, place) => view.getInt32(place * 4)));
    return state;
  };
  const inner = padded(0x36);
  const outer = padded(0x5c);
  const block = blockOf(new Uint8Array(32));
  const state = new Int32Array(8);
  const key = new Int32Array(8);
  let text = blockOf([...salt, 0, 0, 0, 1]);
  for (let round = 0; round < iterations; round += 1) {
    state.set(inner);
    compress(state, text);
    block.set(state);
    state.set(outer);
    compress(state, block);
    block.set(state);
    text = block;
    for (let place = 0; place < 8; place += 1) key[place] ^= state[place];
  }
  const view = new DataView(new ArrayBuffer(32));
  key.forEach((word, place) => { view.setInt32(place * 4, word); });
  return new Uint8Array(view.buffer);
};

export const solve = async (challenge) => {
  const { nonce, salt, cost, keyPrefix } = challenge.parameters;
  const derive = globalThis.crypto?.subtle ? native : plain;
  const password = new Uint8Array([...bytesOf(nonce), 0, 0, 0, 0]);
  const counted = new DataView(password.buffer, password.length - 4);
  let begun = performance.now();
  for (let counter = 0; ; counter += 1) {
    counted.setUint32(0, counter);
    const derivedKey = hexOf(await derive(password, bytesOf(salt), cost));
    if (derivedKey.startsWith(keyPrefix)) return btoa(JSON.stringify({ challenge, solution: { counter, derivedKey } }));
    if (performance.now() - begun > SLICE) {
      await later();
      begun = performance.now();
    }
  }
};
