import {
  BR_IF_LOOP,
  END,
  I32_ADD,
  I32_LT_U,
  I32_SUB,
  I32X4_ADD,
  I32X4_SHL,
  I32X4_SHR_U,
  LOOP,
  TYPE_FUNCTION,
  TYPE_I32,
  TYPE_V128,
  V128_AND,
  V128_OR,
  V128_XOR,
  WasmCode,
} from './wasm-code.ts'

/** Messages that are hashed at a time, one in each lane of a vector. */
export const LANES = 4
export const CHUNK_BYTES = 64
/** Room in memory for a part of each message. */
export const LANE_BYTES = 16 * 1_024
/** Each is in memory four times, for the lanes, from offset 0. */
export const STATE_WORDS = 8
/** Where the room of the first lane begins, after state and constants. */
export const DATA_OFFSET = 2_048

const ROUNDS = 64
/** After so many, all words of the state have their names again. */
const ROUNDS_TOGETHER = 16
const VECTOR_BYTES = 16
const CONSTANTS_OFFSET = STATE_WORDS * VECTOR_BYTES
const WASM_PAGES = 2
const SIZE_BYTES_MAX = 16 * 1_024

/** The first 32 bits behind the point of the square roots of the first eight primes. */
export const INITIAL_STATE = fractions(Math.sqrt, STATE_WORDS)

// Locals of the function: the two parameters, an integer, and vectors.
const POSITION = 0
const COUNT = 1
/** Where the constants of the next 16 rounds are, after the first ones. */
const CONSTANTS = 2
const STATE = 3
const SCHEDULE = STATE + STATE_WORDS
const SPARE = SCHEDULE + ROUNDS_TOGETHER
const VECTORS = STATE_WORDS + ROUNDS_TOGETHER + 4

const FOUR = [0, 1, 2, 3] as const
const IN_ORDER = bytesOf([0, 1, 2, 3])
const BIG_ENDIAN = IN_ORDER.map((byte) => byte ^ 3)
const LOW_WORDS = bytesOf([0, 4, 1, 5])
const HIGH_WORDS = bytesOf([2, 6, 3, 7])
const LOW_PAIRS = bytesOf([0, 1, 4, 5])
const HIGH_PAIRS = bytesOf([2, 3, 6, 7])

/**
 * A WebAssembly module for SHA-256 (FIPS 180-4) of four messages. Its export `run(position, chunks)` updates the states
 * in `memory` with chunks of all lanes. Made here: a build needs no compiler of another language.
 */
export function sha256Kernel(): Uint8Array {
  const code = new WasmCode(SIZE_BYTES_MAX).bytes([0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0])
  const section = (id: number, write: (content: WasmCode) => WasmCode): void => {
    code.byte(id).sized(write(new WasmCode(SIZE_BYTES_MAX)))
  }
  section(1, (types) => types.bytes([1, TYPE_FUNCTION, 2, TYPE_I32, TYPE_I32, 0]))
  section(3, (functions) => functions.bytes([1, 0]))
  section(5, (memories) => memories.bytes([1, 0, WASM_PAGES]))
  section(7, (exports) => writeName(writeName(exports.byte(2), 'memory').bytes([2, 0]), 'run').bytes([0, 0]))
  section(10, (bodies) => bodies.byte(1).sized(kernelCode()))
  section(11, (data) => data.bytes([1, 0]).i32(CONSTANTS_OFFSET).byte(END).sized(constants()))
  return code.written
}

/** Each four times, little-endian as WebAssembly reads words. */
function constants(): WasmCode {
  const code = new WasmCode(ROUNDS * VECTOR_BYTES)
  for (const constant of fractions(Math.cbrt, ROUNDS))
    for (let at = 0; at < VECTOR_BYTES; at++) code.byte((constant >>> (8 * (at % 4))) & 0xff)
  return code
}

function kernelCode(): WasmCode {
  const code = new WasmCode(SIZE_BYTES_MAX).bytes([2, 1, TYPE_I32, VECTORS, TYPE_V128])
  for (let word = 0; word < STATE_WORDS; word++)
    code
      .i32(0)
      .load(word * VECTOR_BYTES)
      .set(STATE + word)
  code.bytes(LOOP)
  for (const group of FOUR) loadWords(code, group)
  code
    .get(STATE + 1)
    .get(STATE + 2)
    .vector(V128_XOR)
    .set(SPARE)
  for (let number = 0; number < ROUNDS_TOGETHER; number++) writeRound(code.i32(0), number)
  code.i32(0).set(CONSTANTS).bytes(LOOP)
  code
    .get(CONSTANTS)
    .i32(ROUNDS_TOGETHER * VECTOR_BYTES)
    .byte(I32_ADD)
    .set(CONSTANTS)
  for (let number = 0; number < ROUNDS_TOGETHER; number++) {
    extendSchedule(code, number)
    writeRound(code.get(CONSTANTS), number)
  }
  code
    .get(CONSTANTS)
    .i32((ROUNDS - ROUNDS_TOGETHER) * VECTOR_BYTES)
    .byte(I32_LT_U)
    .bytes(BR_IF_LOOP)
    .byte(END)
  for (let word = 0; word < STATE_WORDS; word++) {
    const offset = word * VECTOR_BYTES
    code
      .i32(0)
      .get(STATE + word)
      .i32(0)
      .load(offset)
      .vector(I32X4_ADD)
      .tee(STATE + word)
      .store(offset)
  }
  code.get(POSITION).i32(CHUNK_BYTES).byte(I32_ADD).set(POSITION)
  return code.get(COUNT).i32(1).byte(I32_SUB).tee(COUNT).bytes(BR_IF_LOOP).byte(END).byte(END)
}

/** Four words of each lane become four vectors, each with one word of all lanes. */
function loadWords(code: WasmCode, group: number): void {
  for (const lane of FOUR) {
    const offset = DATA_OFFSET + lane * LANE_BYTES + group * VECTOR_BYTES
    code
      .get(POSITION)
      .load(offset)
      .set(SPARE + lane)
  }
  const first = SCHEDULE + FOUR.length * group
  code.shuffle(SPARE, SPARE + 1, LOW_WORDS, first).shuffle(SPARE, SPARE + 1, HIGH_WORDS, first + 1)
  code.shuffle(SPARE + 2, SPARE + 3, LOW_WORDS, first + 2).shuffle(SPARE + 2, SPARE + 3, HIGH_WORDS, first + 3)
  code.shuffle(first, first + 2, LOW_PAIRS, SPARE).shuffle(first, first + 2, HIGH_PAIRS, SPARE + 1)
  code.shuffle(first + 1, first + 3, LOW_PAIRS, SPARE + 2).shuffle(first + 1, first + 3, HIGH_PAIRS, SPARE + 3)
  for (const word of FOUR) code.shuffle(SPARE + word, SPARE + word, BIG_ENDIAN, first + word)
}

/**
 * The address of the constants is on the stack. The state is not moved: its words change their names. The first spare
 * vector is b ^ c, from the round before.
 */
function writeRound(code: WasmCode, number: number): void {
  const nameOf = (word: number): number => STATE + ((word - number + ROUNDS_TOGETHER) % STATE_WORDS)
  const [a, b, d, e, f, g, h] = [nameOf(0), nameOf(1), nameOf(3), nameOf(4), nameOf(5), nameOf(6), nameOf(7)]
  code.load(CONSTANTS_OFFSET + number * VECTOR_BYTES)
  code
    .get(h)
    .vector(I32X4_ADD)
    .get(SCHEDULE + number)
    .vector(I32X4_ADD)
  code.get(f).get(g).vector(V128_XOR).get(e).vector(V128_AND).get(g).vector(V128_XOR).vector(I32X4_ADD)
  writeRotations(code, e, [6, 11, 25])
  code
    .vector(I32X4_ADD)
    .tee(SPARE + 1)
    .get(d)
    .vector(I32X4_ADD)
    .set(d)
  writeRotations(code.get(SPARE + 1), a, [2, 13, 22])
  // The majority of a, b and c is b ^ ((a ^ b) & (b ^ c)).
  code
    .vector(I32X4_ADD)
    .get(a)
    .get(b)
    .vector(V128_XOR)
    .tee(SPARE + 2)
    .get(SPARE)
    .vector(V128_AND)
  code
    .get(b)
    .vector(V128_XOR)
    .vector(I32X4_ADD)
    .set(h)
    .get(SPARE + 2)
    .set(SPARE)
}

function extendSchedule(code: WasmCode, number: number): void {
  const before = (rounds: number): number => SCHEDULE + ((number - rounds + ROUNDS_TOGETHER) % ROUNDS_TOGETHER)
  code.get(before(16)).get(before(7)).vector(I32X4_ADD)
  writeRotations(code, before(15), [7, 18])
  code.get(before(15)).i32(3).vector(I32X4_SHR_U).vector(V128_XOR).vector(I32X4_ADD)
  writeRotations(code, before(2), [17, 19])
  code.get(before(2)).i32(10).vector(I32X4_SHR_U).vector(V128_XOR).vector(I32X4_ADD).set(before(16))
}

/** The exclusive or of a vector rotated to the right by each number of bits. */
function writeRotations(code: WasmCode, local: number, counts: readonly number[]): void {
  counts.forEach((bits, at) => {
    code
      .get(local)
      .i32(bits)
      .vector(I32X4_SHR_U)
      .get(local)
      .i32(32 - bits)
      .vector(I32X4_SHL)
      .vector(V128_OR)
    if (at > 0) code.vector(V128_XOR)
  })
}

function fractions(root: (value: number) => number, count: number): readonly number[] {
  const primes: number[] = []
  for (let candidate = 2; primes.length < count; candidate++)
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate)
  return primes.map((prime) => Math.floor((root(prime) % 1) * 2 ** 32))
}

function bytesOf(words: readonly number[]): readonly number[] {
  return words.flatMap((word) => FOUR.map((byte) => word * 4 + byte))
}

function writeName(code: WasmCode, name: string): WasmCode {
  return code.byte(name.length).bytes(Buffer.from(name, 'latin1'))
}
