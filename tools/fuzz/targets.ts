/** What is fuzzed: each target reads hostile bytes and checks what it has read. */
import assert from 'node:assert/strict'
import { readConfig } from '../../src/config/config-file.ts'
import type { ConfigDocument } from '../../src/core/config/config-document.ts'
import { TwinfoldError } from '../../src/core/errors.ts'
import { ProtocolError } from '../../src/core/wire/errors.ts'
import type { Chance } from '../../test/interop/random-changes.ts'
import { HTTP_TARGETS } from './http-targets.ts'
import { NAME_TARGETS } from './name-targets.ts'
import { NETWORK_TARGETS } from './network-targets.ts'
import { PROTOCOL_TARGETS } from './protocol-targets.ts'
import { xmlOf } from '../../test/support/config.ts'

export interface Target {
  readonly name: string
  /** Words of the format. */
  readonly words?: readonly (string | Uint8Array)[]
  /** Memory that may be kept for each byte of the input. */
  readonly keptPerByteMax: number
  /** The most processor time for a small input; 100 ms if not given. */
  readonly inputMsMax?: number
  /** Of most inputs; 4 KiB if not given. */
  readonly sizeBytesMax?: number
  /** Of the largest inputs; 1 MiB if not given. */
  readonly grownBytesMax?: number
  /** A large input from a small one; without it a part of the bytes is repeated. */
  readonly grow?: (input: Uint8Array, chance: Chance, sizeBytes: number) => Uint8Array
  /** A change that keeps the structure of the input, tried now and then. */
  readonly vary?: (input: Uint8Array, chance: Chance) => Uint8Array
  /** Reads the input. Returns what a caller would keep. */
  run(input: Uint8Array): unknown
  /** Throws unless what was read is consistent; its time is not counted. */
  check?(result: unknown, input: Uint8Array): unknown
}

/** Errors that callers handle; everything else is a fault. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ProtocolError || error instanceof TwinfoldError
}

const OTHER_TARGETS: readonly Target[] = [
  {
    name: 'config-xml',
    words: [
      '<configuration version="37">',
      '</configuration>',
      '<folder id="a" path="b">',
      '</folder>',
      '<device id="',
    ],
    keptPerByteMax: 2_048,
    run: (input) => readConfig(input, false).document,
    check(document: ConfigDocument) {
      const written = xmlOf(document)
      const again = readConfig(Buffer.from(written), false)
      assert.deepEqual(again.document.config, document.config)
      assert.equal(xmlOf(again.document), written)
    },
  },
]

export const TARGETS: readonly Target[] = [
  ...PROTOCOL_TARGETS,
  ...NETWORK_TARGETS,
  ...OTHER_TARGETS,
  ...HTTP_TARGETS,
  ...NAME_TARGETS,
]
