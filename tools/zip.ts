import { crc32, deflateRawSync } from 'node:zlib'

export interface ZipEntry {
  readonly name: string
  readonly data: Uint8Array
}

const DEFLATE = 8
const VERSION = 20
const UTF8_NAMES = 0x800
/** 1985-10-26, as npm dates the files of a package: the same contents give the same archive. */
const DOS_DATE = ((1985 - 1980) << 9) | (10 << 5) | 26
const DOS_TIME = 8 << 11

/** An archive of files with deflated contents, each below 4 GiB. */
export function zipArchive(entries: readonly ZipEntry[]): Uint8Array {
  const parts: Uint8Array[] = []
  const directory: Uint8Array[] = []
  let offset = 0
  for (const { name, data } of entries) {
    const packed = deflateRawSync(data, { level: 9 })
    const names = Buffer.from(name)
    const common = [VERSION, UTF8_NAMES, DEFLATE, DOS_TIME, DOS_DATE] as const
    const sizes = [crc32(data), packed.length, data.length] as const
    const local = fields([0x04034b50, 4], ...words(common), ...longs(sizes), ...words([names.length, 0]))
    directory.push(
      fields(
        [0x02014b50, 4],
        ...words([VERSION, ...common]),
        ...longs(sizes),
        ...words([names.length, 0, 0, 0, 0]),
        ...longs([0, offset]),
      ),
      names,
    )
    parts.push(local, names, packed)
    offset += local.length + names.length + packed.length
  }
  const list = Buffer.concat(directory)
  const end = fields(
    [0x06054b50, 4],
    ...words([0, 0, entries.length, entries.length]),
    ...longs([list.length, offset]),
    ...words([0]),
  )
  return Buffer.concat([...parts, list, end])
}

type Field = readonly [value: number, sizeBytes: number]
const words = (values: readonly number[]): Field[] => values.map((value) => [value, 2])
const longs = (values: readonly number[]): Field[] => values.map((value) => [value, 4])

function fields(...list: readonly Field[]): Uint8Array {
  const bytes = Buffer.alloc(list.reduce((sum, [, sizeBytes]) => sum + sizeBytes, 0))
  let at = 0
  for (const [value, sizeBytes] of list) at = bytes.writeUIntLE(value, at, sizeBytes)
  return bytes
}
