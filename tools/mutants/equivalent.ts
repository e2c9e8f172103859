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
