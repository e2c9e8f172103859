/**
 * Planted faults that no test can find, because the behaviour stays the same; each was judged by reading.
 * They are printed and counted apart, and the score is of the others.
 */
import type { Mutant } from './mutate.ts'

interface Equivalent {
  /** Absent for a rule of all files. */
  readonly file?: string
  /** The line as it stands, without indentation, or a pattern of it. */
  readonly code: string | RegExp
  /** The changes as they are reported. */
  readonly changes: readonly string[]
  readonly reason: string
}

const EQUIVALENT: readonly Equivalent[] = [
  {
    file: 'src/core/base32.ts',
    code: 'let value = 0',
    changes: ['0 → 1'],
    reason: 'bits above those that were read are never used',
  },
  {
    file: 'src/core/releases/semver.ts',
    code: "if (typeof b === 'number') return 1",
    changes: ["typeof b === 'number' → false"],
    reason: 'a text is neither equal to a number nor below it, which is the same result',
  },
  {
    file: 'src/core/config/config-json.ts',
    code: "if (typeof unit !== 'string') throw wrongType(join(path, 'unit'), 'a text', given['unit'] ?? null)",
    changes: ["typeof unit !== 'string' → false"],
    reason: 'the next line throws the same error; the check is for the type',
  },
  {
    code: /\? -1 : (?:1\b|.* \? 1 : 0)/,
    changes: ['1 → 2'],
    reason: 'only the sign of a comparison counts',
  },
  {
    file: 'src/http/pipeline/login-throttle.ts',
    code: 'if (waitMs > 0) await this.#clock.sleep(waitMs, signal)',
    changes: ['> → >='],
    reason: 'a sleep of no time ends at the same time',
  },
  {
    file: 'src/core/wire/writer.ts',
    code: 'if (value >= 0 && value < TWO_32) this.uint32(value)',
    changes: ['value >= 0 && value < TWO_32 → false', '>= → >', '< → <='],
    reason: 'the other branch writes the same bytes, only slower',
  },
  {
    file: 'src/core/wire/writer.ts',
    code: /^this\.#reserve\((?:5|10)\)$/,
    changes: ['5 → 6', '10 → 11'],
    reason: 'the writer only grows a byte earlier',
  },
  {
    file: 'src/core/wire/writer.ts',
    code: 'const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2))',
    changes: ['* → /', '2 → 3'],
    reason: 'the writer only grows more often or less often',
  },
  {
    file: 'src/core/wire/writer.ts',
    code: 'const START_BYTES = 512',
    changes: ['512 → 513'],
    reason: 'the capacity at the start: the writer grows as it needs',
  },
  {
    file: 'src/core/wire/reader.ts',
    code: "if (!text.includes('\\ufffd')) return text",
    changes: ["!text.includes('\\ufffd') → false"],
    reason: 'the strict decoder returns the same text, only slower',
  },
  {
    file: 'src/protocol/index-data.ts',
    code: 'const writer = new WireWriter(64 + data.files.length * FILE_WIRE_BYTES_USUAL + blockBytes * 2)',
    changes: ['64 → 65', '2 → 3', '+ → -', '* → /'],
    reason: 'the capacity at the start: the writer grows as it needs',
  },
  {
    file: 'src/protocol/index-data.ts',
    code: 'const FILE_WIRE_BYTES_USUAL = 256',
    changes: ['256 → 257'],
    reason: 'the capacity at the start: the writer grows as it needs',
  },
  {
    file: 'src/protocol/exchange.ts',
    code: 'const RESPONSE_PREFIX_BYTES_MAX = 24',
    changes: ['24 → 25'],
    reason: 'the capacity at the start: the writer grows as it needs',
  },
  {
    file: 'src/protocol/frame.ts',
    code: 'const header = decode(HEADER, await bytes.take(headerBytes), 0)',
    changes: ['0 → 1'],
    reason: 'a limit of repeated parts, of which a header has none',
  },
  {
    file: 'src/protocol/compress.ts',
    code: /INLINE_BYTES_MAX/,
    changes: [
      'lengthBytes <= INLINE_BYTES_MAX → true',
      'lengthBytes <= INLINE_BYTES_MAX → false',
      '<= → <',
      '* → /',
      '1024 → 1025',
    ],
    reason: 'both ways have the same result, only the thread differs',
  },
  {
    file: 'src/protocol/outbox.ts',
    code: 'const part = piece.length <= PIECE_BYTES_MAX ? piece : piece.subarray(at, at + PIECE_BYTES_MAX)',
    changes: ['piece.length <= PIECE_BYTES_MAX → false', '<= → <'],
    reason: 'a view of the whole piece has the same bytes',
  },
  {
    code: /(?:decode\((?:REQUEST|RESPONSE|CLOSE), |new WireReader\()body, 0\)/,
    changes: ['0 → 1'],
    reason: 'a limit of repeated parts, of which what is read has none',
  },
  {
    file: 'src/protocol/hello.ts',
    code: '0,',
    changes: ['0 → 1'],
    reason: 'a limit of repeated parts, of which a Hello has none',
  },
  {
    file: 'src/protocol/block-list.ts',
    code: /^(?:#lastBytes|blockSizeBytes) = 0$/,
    changes: ['0 → 1'],
    reason: 'set by the first block before it is used',
  },
  {
    file: 'src/protocol/byte-reader.ts',
    code: /INITIAL_BYTES_MAX = |filled \* 2/,
    changes: ['256 → 257', '1024 → 1025', '2 → 3'],
    reason: 'the capacity at the start, or the factor of its growth',
  },
  {
    file: 'src/protocol/cluster-config.ts',
    code: 'const SECONDARY_TAG = SECONDARY_FIELD * 8 + WIRE_VARINT',
    changes: ['+ → -'],
    reason: 'the wire type is 0',
  },
  {
    file: 'src/protocol/connection.ts',
    code: 'await this.#closing',
    changes: ['await this.#closing → (removed)'],
    reason: 'it ends with the disposal of the stream, which is awaited next',
  },
  {
    file: 'src/protocol/exchange.ts',
    code: 'const byte = start[at++] ?? 0xff // past the end: the loop runs out of factors',
    changes: ['0xff → 256'],
    reason: 'every byte of at least 128 continues the number',
  },
  {
    file: 'src/protocol/exchange.ts',
    code: 'for (let factor = 1; factor <= 2 ** 28; factor *= 128) {',
    changes: ['28 → 29'],
    reason: 'the factors are powers of 128: none is 2 ** 29',
  },
  {
    file: 'src/protocol/file-info.ts',
    code: 'if (none) return NO_PASSED_ON',
    changes: ['none → false'],
    reason: 'a shortcut: what follows returns no fields either',
  },
  {
    file: 'src/protocol/frame.ts',
    code: 'const [head, tail, headroomBytes = 0] = body',
    changes: ['0 → 1'],
    reason: 'the start of a frame never fits into one byte',
  },
  {
    file: 'src/protocol/inbox.ts',
    code: 'if (this.#next === this.#queue.length || this.#next >= QUEUED_COUNT_MAX) {',
    changes: ['this.#next === this.#queue.length || this.#next >= QUEUED… → true', '>= → >'],
    reason: 'only how often the queue is shortened',
  },
  {
    file: 'src/protocol/index-data.ts',
    code: 'const blockBytes = data.files.reduce((sum, file) => sum + (file.blockHashes?.length ?? 0), 0)',
    changes: ['0 → 1'],
    reason: 'the capacity at the start: the writer grows as it needs',
  },
  {
    file: 'src/protocol/index-data.ts',
    code: 'if (view.length <= STEP_BYTES) return fileFromWire(readFields(FILE_INFO, reader, FILE_INFO.start()))',
    changes: ['view.length <= STEP_BYTES → false'],
    reason: 'a shortcut: a short record has no second step',
  },
  {
    file: 'src/protocol/messages.ts',
    code: /^unix: one\(/,
    changes: ['3 → 4', '4 → 5'],
    reason: 'the record is only checked, and a number is checked in the same way whether its field is known or not',
  },
  {
    file: 'src/protocol/messages.ts',
    code: /^const XATTRS = /,
    changes: ['2 → 3'],
    reason: 'the record is only checked, and bytes are checked in the same way whether their field is known or not',
  },
  {
    file: 'src/protocol/messages.ts',
    code: 'devices: repeatedMessage(16, DEVICE, CLUSTER_DEVICE_COUNT_MAX + 1),',
    changes: ['1 → 2'],
    reason: 'one device more is decoded before the message is refused',
  },
  {
    file: 'src/protocol/pending-requests.ts',
    code: 'if (group === undefined) return',
    changes: ['group === undefined → false'],
    reason: 'a pending request always has a group; the check is for the type',
  },
  {
    file: 'src/protocol/receiver.ts',
    code: 'held.use(await memory.unpacked.acquire(device, frame.unpackedBytes ?? 0, closed))',
    changes: ['0 → 1'],
    reason: 'so few bytes are not counted',
  },
  {
    file: 'src/protocol/version.ts',
    code: 'if (!inOrder) version = merged(version)',
    changes: ['!inOrder → true'],
    reason: 'a shortcut: a vector in order stays as it is',
  },
  {
    file: 'src/protocol/version.ts',
    code: 'if (known === undefined || known < value) highest.set(device, value)',
    changes: ['< → <='],
    reason: 'an equal counter is replaced by itself',
  },
  {
    file: 'src/core/paths.ts',
    code: /the common case$/,
    changes: [
      '!(first === 46 || first === 126 || first > 127) → false',
      '!mayBeInternal(name.charCodeAt(0)) → false',
      '> → >=',
      '127 → 128',
    ],
    reason: 'a shortcut: what follows decides the same, only slower',
  },
  {
    file: 'src/core/paths.ts',
    code: 'return first === 46 || first === 83 || first === 115 || first > 127',
    changes: ['> → >=', '127 → 128'],
    reason: 'a shortcut: what follows decides the same, only slower',
  },
  {
    file: 'src/core/paths.ts',
    code: 'if (!NOT_ASCII.test(name)) return name.toLowerCase()',
    changes: ['!NOT_ASCII.test(name) → false'],
    reason: 'a shortcut: what follows does the same for ASCII, only slower',
  },
]

export function equivalentReason({ file, code, change }: Mutant): string | undefined {
  const isOf = (one: Equivalent): boolean =>
    (one.file === undefined || one.file === file) &&
    (typeof one.code === 'string' ? one.code === code : one.code.test(code)) &&
    one.changes.includes(change)
  return EQUIVALENT.find(isOf)?.reason
}
